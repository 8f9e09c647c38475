export interface Bounds {
  /** Items of each array. */
  readonly rows: number;
  /** Of the JSON text, UTF-8. */
  readonly bytes: number;
}

export interface Bounded {
  readonly text: string;
  readonly cut: boolean;
}

/** JSON text of a value with every array shortened to `rows`, and then further until the text fits into `bytes`. */
export function bound(value: unknown, { rows, bytes }: Bounds): Bounded {
  let cut = false;
  for (let kept = rows; ; kept = Math.floor(kept / 2)) {
    const text = JSON.stringify(value, (_key, item) => {
      if (!Array.isArray(item) || item.length <= kept) return item;
      cut = true;
      return item.slice(0, kept);
    });
    if (Buffer.byteLength(text) <= bytes) return { text, cut };
    if (kept === 0) return { text: JSON.stringify(startOf(text, bytes)), cut: true };
  }
}

/** The start of a text whose JSON string fits into `bytes`: quotes and backslashes at most double it. */
function startOf(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, Math.floor(bytes / 2) - 4)
    .toString()
    .replace(/\uFFFD+$/, '');
}

/** JSON-RPC 2.0, section 5.1: the body is not JSON. */
export const parseError = -32_700;

/** An error that no message of a request can be named for. */
export function protocolError(code: number, message: string) {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}
