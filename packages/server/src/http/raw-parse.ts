import type { RawHeaders } from './raw.ts';

/** A complete request in the form that most clients send. */
export interface PlainRequest {
  readonly method: PlainMethod;
  readonly url: string;
  readonly headers: RawHeaders;
  readonly body: Buffer;
  /** Start of the next request. */
  readonly end: number;
}

/** A GET has no body. */
export type PlainMethod = 'GET' | 'POST';

/** `unusual`: not certainly a plain request; Node's parser decides. `incomplete`: plain so far. */
export type Parsed = PlainRequest | 'incomplete' | 'unusual';

/** Larger heads and bodies go to Node's parser; they are rare. */
const maxHeadBytes = 8 * 1024;
const maxBodyBytes = 48 * 1024;

const headEnd = Buffer.from('\r\n\r\n');
const starts = (['GET', 'POST'] as const).map((method) => ({ method, bytes: Buffer.from(`${method} /`) }));

/**
 * A complete head of RFC 9112: printable ASCII in the target, tokens as names, no control characters in values, no line
 * folding, no bare CR or LF. Each repetition ends at a character that it cannot contain, so matching is linear.
 */
const plainHead = /^(?:GET|POST) \/[!-~]* HTTP\/1\.1(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*)+$/;

type Named = { -readonly [K in keyof RawHeaders]: string };

/**
 * Parses one request from the bytes of a connection if it has the plainest form: a GET without a body, or a POST with one
 * `Content-Length` of digits; HTTP/1.1, one `Host`, keep-alive, no transfer coding, no expectation, no upgrade, no repeated
 * header that matters here. Everything else is left to Node's parser, also every request that two parsers could read
 * differently (RFC 9112 §11).
 *
 * @param isPlain false: the body of a request for this URL is not waited for here, since its head may suffice to refuse it
 */
export function parsePlainRequest(
  bytes: Buffer,
  isPlain: (method: PlainMethod, url: string) => boolean = () => true,
): Parsed {
  const method = methodOf(bytes);
  if (method === undefined) return 'unusual';
  const end = bytes.indexOf(headEnd);
  if (end < 0) return bytes.length > maxHeadBytes || hasBareLineFeed(bytes) ? 'unusual' : 'incomplete';
  if (end > maxHeadBytes) return 'unusual';
  const head = bytes.toString('latin1', 0, end);
  if (!plainHead.test(head)) return 'unusual';
  const headers: Named = {};
  let hosts = 0;
  let length = -1;
  let line = head.indexOf('\r\n');
  const url = head.slice(method.length + 1, line - 9);
  while (line >= 0) {
    const start = line + 2;
    line = head.indexOf('\r\n', start);
    const colon = head.indexOf(':', start);
    const name = nameOf(head, start, colon);
    if (name === undefined) continue;
    const value = head.slice(colon + 1, line < 0 ? head.length : line).trim();
    switch (name) {
      case 'host':
        hosts++;
        break;
      case 'content-length':
        if (length >= 0 || !/^\d{1,6}$/.test(value)) return 'unusual';
        length = Number(value);
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return 'unusual';
        break;
      case 'transfer-encoding':
      case 'expect':
      case 'upgrade':
      case 'trailer':
        return 'unusual';
      default:
        if (headers[name] !== undefined) return 'unusual';
        headers[name] = value;
    }
  }
  if (hosts !== 1 || length > maxBodyBytes) return 'unusual';
  if (method === 'GET' ? length > 0 : length < 0) return 'unusual';
  const from = end + headEnd.length;
  const to = from + Math.max(0, length);
  if (bytes.length < to) return isPlain(method, url) ? 'incomplete' : 'unusual';
  return { method, url, headers, body: bytes.subarray(from, to), end: to };
}

/** The method of a request as far as it has arrived; of none that is read here, undefined. */
function methodOf(bytes: Buffer): PlainMethod | undefined {
  return starts.find((start) => {
    const length = Math.min(start.bytes.length, bytes.length);
    return start.bytes.compare(bytes, 0, length, 0, length) === 0;
  })?.method;
}

/** Some clients end lines with a bare LF; their heads would never end here. */
function hasBareLineFeed(bytes: Buffer): boolean {
  const first = bytes.indexOf(0x0a);
  return first >= 0 && bytes[first - 1] !== 0x0d;
}

/** Every header that affects how a request is parsed or answered, by the length of its name. */
const namesByLength = new Map<number, readonly KnownName[]>();
const knownNames = [
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'authorization',
  'connect-protocol-version',
  'connect-timeout-ms',
  'content-encoding',
  'content-type',
  'flagd-selector',
  'if-none-match',
  'origin',
  'traceparent',
  'x-api-key',
  'x-forwarded-for',
  'x-request-id',
] as const;
type KnownName = (typeof knownNames)[number];
for (const name of knownNames) namesByLength.set(name.length, [...(namesByLength.get(name.length) ?? []), name]);

function nameOf(head: string, start: number, colon: number): KnownName | undefined {
  const candidates = namesByLength.get(colon - start);
  if (candidates === undefined) return undefined;
  const name = head.slice(start, colon).toLowerCase();
  return candidates.find((candidate) => candidate === name);
}
