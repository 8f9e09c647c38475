/** The body is not OTLP/JSON and is rejected as a whole. */
export class JsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonError';
  }
}

/** 64 levels of attribute values take three brackets each; the envelope takes a dozen. */
const MAX_DEPTH = 256;
/** Integers of up to 15 digits survive a double. */
const SAFE_DIGITS = 15;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON text without losing anything: integers that a double cannot hold (nanosecond times sent as numbers)
 * arrive as strings, which OTLP/JSON allows for every 64-bit field.
 * @throws {JsonError} if it is not JSON, not UTF-8, or nested too deeply.
 */
export function parseJson(body: Buffer): unknown {
  const long = findLongIntegers(body);
  const text = long.length === 0 ? body.toString('utf8') : quoteRanges(body, long);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonError(error instanceof Error ? `not JSON: ${error.message.slice(0, 200)}` : 'not JSON');
  }
}

/** Start and end of every integer outside of strings that is too long for a double. Also checks the depth. */
function findLongIntegers(body: Buffer): [number, number][] {
  const found: [number, number][] = [];
  let depth = 0;
  let at = 0;
  while (at < body.length) {
    const byte = body[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(body, at + 1);
    } else if (isDigit(byte)) {
      const end = digitsEnd(body, at);
      const next = body[end];
      const isInteger = next !== 0x2e && next !== 0x65 && next !== 0x45 && body[at - 1] !== 0x2e;
      if (end - at > SAFE_DIGITS && isInteger) found.push([body[at - 1] === 0x2d ? at - 1 : at, end]);
      at = end;
    } else {
      if (byte === 0x7b || byte === 0x5b) depth++;
      else if (byte === 0x7d || byte === 0x5d) depth--;
      if (depth > MAX_DEPTH) throw new JsonError(`nested deeper than ${MAX_DEPTH} brackets`);
      at++;
    }
  }
  return found;
}

function stringEnd(body: Buffer, from: number): number {
  for (let at = from; ; ) {
    const quote = body.indexOf(QUOTE, at);
    if (quote < 0) return body.length;
    let backslashes = 0;
    while (body[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function digitsEnd(body: Buffer, from: number): number {
  let at = from;
  while (isDigit(body[at])) at++;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function quoteRanges(body: Buffer, ranges: [number, number][]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    parts.push(body.toString('utf8', at, start), '"', body.toString('latin1', start, end), '"');
    at = end;
  }
  parts.push(body.toString('utf8', at));
  return parts.join('');
}
