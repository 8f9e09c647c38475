import { WireError } from '../wire/reader.ts';

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};
const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * Parses the labels of a stream in Prometheus's format: `{name="value", …}`, with values in Go's quoting.
 * @throws {WireError}
 */
export function parseLabels(text: string): [string, string][] {
  const labels: [string, string][] = [];
  const space = /\s*/y;
  const nameForm = /[a-zA-Z_:][\w:.]*/y;
  let at = 0;
  const match = (form: RegExp): string => {
    form.lastIndex = at;
    const [found = ''] = form.exec(text) ?? [];
    at += found.length;
    return found;
  };
  const take = (wanted: string): boolean => {
    match(space);
    if (text[at] !== wanted) return false;
    at++;
    return true;
  };
  const fail = (): WireError => new WireError(`labels that cannot be read, at character ${at}: ${text.slice(0, 100)}`);
  const quoted = (): string => {
    match(space);
    const read = text[at] === '`' ? rawText(text, at) : quotedText(text, at);
    if (read === undefined) throw fail();
    at = read.end;
    return read.value;
  };

  if (!take('{')) throw fail();
  while (!take('}')) {
    if (labels.length > 0 && !take(',')) throw fail();
    // A trailing comma is allowed.
    if (take('}')) break;
    const name = match(nameForm) || quoted();
    if (!take('=')) throw fail();
    labels.push([name, quoted()]);
  }
  match(space);
  if (at !== text.length) throw fail();
  return labels;
}

interface Read {
  value: string;
  end: number;
}

function rawText(text: string, start: number): Read | undefined {
  const end = text.indexOf('`', start + 1);
  return end < 0 ? undefined : { value: text.slice(start + 1, end), end: end + 1 };
}

/** A text in double quotes. Escaped bytes (`\xff`, `\377`) are decoded as UTF-8. */
function quotedText(text: string, start: number): Read | undefined {
  if (text[start] !== '"') return undefined;
  const parts: Buffer[] = [];
  let from = start + 1;
  for (;;) {
    const stop = nextSpecial(text, from);
    if (stop < 0) return undefined;
    parts.push(Buffer.from(text.slice(from, stop)));
    if (text[stop] === '"') return { value: Buffer.concat(parts).toString('utf8'), end: stop + 1 };
    const escaped = readEscape(text, stop + 1);
    if (escaped === undefined) return undefined;
    parts.push(escaped.bytes);
    from = escaped.end;
  }
}

function nextSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '"' || text[at] === '\\') return at;
  return -1;
}

function readEscape(text: string, at: number): { bytes: Buffer; end: number } | undefined {
  const letter = text[at] ?? '';
  const plain = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
  if (plain !== undefined) return { bytes: Buffer.from(plain), end: at + 1 };
  const octal = /^[0-3][0-7]{2}$/.exec(text.slice(at, at + 3));
  if (octal !== null) return { bytes: Buffer.of(Number.parseInt(octal[0], 8)), end: at + 3 };
  const digits = Object.hasOwn(hexDigits, letter) ? hexDigits[letter] : undefined;
  if (digits === undefined) return undefined;
  const hex = text.slice(at + 1, at + 1 + digits);
  if (hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return undefined;
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) return undefined;
  return { bytes: digits === 2 ? Buffer.of(code) : Buffer.from(String.fromCodePoint(code)), end: at + 1 + digits };
}
