import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { authenticationFailed, badArguments, notImplemented, queryTooLarge } from './exceptions.ts';

/** The parameters of a request, read from its URL and headers as ClickHouse's HTTP interface does. */
export interface StoreRequest {
  queryId: string;
  /** The `query` of the URL, or empty. */
  query: string;
  database: string | undefined;
  defaultFormat: string;
  settings: Map<string, string>;
  parameters: Map<string, string>;
  /** Whether to gzip the response. */
  gzip: boolean;
  /** Whether the query must end before the response begins. */
  wait: boolean;
}

/** Settings of the HTTP server itself, which the engine does not know. */
const HTTP_ONLY = /^(http_|send_progress_in_http_headers$|enable_http_compression$|wait_end_of_query$|buffer_size$)/;

/** Everything is written at once here and acknowledged afterwards, which is what `wait` promises. */
const ALWAYS_SYNCHRONOUS = /^(wait_for_)?async_insert(_|$)/;

const NOT_SETTINGS = new Set(['query', 'query_id', 'database', 'default_format', 'user', 'password', 'role']);

const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  session_id: 'Sessions are not supported by the embedded store',
  compress: "The native protocol's compression is not supported by the embedded store; use gzip",
  decompress: "The native protocol's compression is not supported by the embedded store; use gzip",
};

/** @throws StoreException */
export function readRequest(request: IncomingMessage, url: URL): StoreRequest {
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  // In ClickHouse a GET cannot change anything.
  if (request.method === 'GET') settings.set('readonly', '2');
  for (const [name, value] of url.searchParams) {
    const unsupported = NOT_SUPPORTED[name];
    if (unsupported && value !== '0' && value !== '') throw notImplemented(unsupported);
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value);
    else if (!NOT_SETTINGS.has(name) && !unsupported && !HTTP_ONLY.test(name) && !ALWAYS_SYNCHRONOUS.test(name)) {
      settings.set(name, value);
    }
  }
  const compression = url.searchParams.get('enable_http_compression');
  return {
    queryId: url.searchParams.get('query_id') || randomUUID(),
    query: url.searchParams.get('query') ?? '',
    database: url.searchParams.get('database') || header(request, 'x-clickhouse-database'),
    defaultFormat: url.searchParams.get('default_format') || header(request, 'x-clickhouse-format') || 'TabSeparated',
    settings,
    parameters,
    wait: url.searchParams.get('wait_end_of_query') === '1',
    gzip: (compression === '1' || compression === 'true') && /\bgzip\b/.test(header(request, 'accept-encoding') ?? ''),
  };
}

/**
 * Checks user and password, in the forms that ClickHouse accepts: Basic authentication, `X-ClickHouse-User` and `-Key`,
 * or `user` and `password` in the URL.
 * @throws StoreException 516
 */
export function authenticate(request: IncomingMessage, url: URL, password: string): void {
  const basic = /^Basic (.+)$/i.exec(header(request, 'authorization') ?? '')?.[1];
  const decoded = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString();
  const colon = decoded?.indexOf(':') ?? -1;
  const user =
    header(request, 'x-clickhouse-user') ??
    (decoded === undefined ? url.searchParams.get('user') : decoded.slice(0, colon)) ??
    'default';
  const key =
    header(request, 'x-clickhouse-key') ??
    (decoded === undefined ? url.searchParams.get('password') : decoded.slice(colon + 1)) ??
    '';
  if (user !== 'default' || !timingSafeEqual(digest(key), digest(password))) throw authenticationFailed();
}

/** The decompressed body. */
export function inflatedBody(request: IncomingMessage): Readable {
  const encoding = header(request, 'content-encoding') ?? 'identity';
  if (encoding === 'identity') return request;
  const inflate =
    encoding === 'gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  if (!inflate) throw badArguments(`Unknown HTTP content encoding: ${encoding}`);
  request.on('error', (error) => inflate.destroy(error));
  request.on('aborted', () => inflate.destroy(new Error('the client has gone')));
  return request.pipe(inflate);
}

/** @throws StoreException 229 if the text is longer than `limit` bytes */
export async function readText(body: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw queryTooLarge(`The statement is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value || undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
