import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Engine } from './engine.ts';
import { codeOf, notFound, notImplemented, StoreException, statusOf } from './exceptions.ts';
import { contentType, isStreamable, readStatistics } from './formats.ts';
import { guardStatement } from './guard.ts';
import { insertStream } from './insert.ts';
import { type InsertStatement, parseInsert } from './insert-statement.ts';
import type { Lane } from './lanes.ts';
import { authenticate, inflatedBody, readRequest, readText, type StoreRequest } from './request.ts';
import type { Spool } from './spool.ts';
import { readStatementText, type StatementText } from './statement-text.ts';
import { isWrite, type WriteGate } from './write-gate.ts';

/** A statement's text, bound values aside. Rows of an INSERT in a URL's query are not counted. */
const LONGEST_STATEMENT_BYTES = 64 * 1024 * 1024;

/** Longer than the client keeps an idle socket, so that it is never the server that closes one in use. */
const KEEP_ALIVE_MS = 30_000;

const SLICE_BYTES = 1 << 20;

/** Rows of a block that is sent on its own: what a stream holds of a result. */
const STREAM_BLOCK_ROWS = 16_384;

const MEMORY = 'max_memory_usage';

export interface HttpInterfaceOptions {
  engine: Engine;
  spool: Spool;
  password: string;
  /** Of the engine; part of each error message. */
  version: string;
  queries: Lane;
  /** Queries whose results are sent block by block: a slow reader must not hold up the others. */
  streams: Lane;
  inserts: Lane;
  gate: WriteGate;
  /** Settings of a query where its client does not say otherwise. */
  queryDefaults: ReadonlyMap<string, string>;
  /** The most memory of a query, also where its client asks for more. */
  queryMemoryBytes: number;
}

/** An answer before it is written. */
interface Answer {
  body: Uint8Array;
  format: string;
  summary: Summary;
}

interface Summary {
  readRows: number;
  readBytes: number;
  writtenRows: number;
  writtenBytes: number;
  resultRows: number;
  resultBytes: number;
  elapsedNs: number;
}

/** The official client puts parameters into the URL, lists of thousands of values included; ClickHouse takes 1 MiB. */
const MAX_URL_BYTES = 1024 * 1024;

/** ClickHouse's HTTP interface over the embedded engine. */
export function createHttpInterface(options: HttpInterfaceOptions): Server {
  const http = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0, maxHeaderSize: MAX_URL_BYTES };
  const server = createServer(http, (request, response) => {
    void serve(options, request, response);
  });
  server.maxHeadersCount = 100;
  return server;
}

async function serve(options: HttpInterfaceOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client has gone'));
  });
  // Errors of the request's stream are seen where its body is read, or do not matter any more.
  request.on('error', () => {});
  try {
    const url = new URL(request.url ?? '/', 'http://store');
    if (url.pathname === '/ping') {
      response.setHeader('Content-Type', 'text/html; charset=UTF-8').end('Ok.\n');
      return;
    }
    if (url.pathname !== '/') throw notFound(`There is no handle ${url.pathname}`);
    authenticate(request, url, options.password);
    const asked = readRequest(request, url);
    response.setHeader('X-ClickHouse-Query-Id', asked.queryId);
    await answer(options, asked, request, response, gone.signal);
  } catch (error) {
    // A body that was given up, for example on a full disk, may leave a connection that nothing reads from any more.
    if (!request.readableEnded && !response.headersSent) response.setHeader('Connection', 'close');
    writeError(response, error, options.version);
  } finally {
    // A handler that refuses a request early must still read it, or the client sees a broken connection.
    request.resume();
  }
}

async function answer(
  options: HttpInterfaceOptions,
  asked: StoreRequest,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (/^multipart\//i.test(request.headers['content-type'] ?? '')) {
    throw notImplemented('Multipart bodies are not supported by the embedded store');
  }
  const body = inflatedBody(request);
  const insertInUrl = parseInsert(asked.query);
  if (insertInUrl) {
    const inline = asked.query.slice(insertInUrl.dataStart);
    const rows = inline === '' ? body : Readable.from(concat(inline, body));
    return writeAnswer(response, asked, await insert(options, asked, insertInUrl, rows, signal));
  }
  const text = await readText(body, LONGEST_STATEMENT_BYTES);
  const sql = asked.query === '' ? text : text === '' ? asked.query : `${asked.query}\n${text}`;
  const insertInBody = parseInsert(sql);
  if (insertInBody) {
    const rows = Buffer.from(sql.slice(insertInBody.dataStart));
    return writeAnswer(response, asked, await insert(options, asked, insertInBody, Readable.from([rows]), signal));
  }
  guardStatement(sql, (asked.settings.get('readonly') ?? '0') !== '0');
  const read = readStatementText(sql);
  const format = read.format ?? asked.defaultFormat;
  if (!asked.wait && isStreamable(sql, format)) return streamed(options, asked, { read, format }, response, signal);
  return writeAnswer(response, asked, await query(options, asked, { read, format }, signal));
}

/** Sends blocks as they come, and asks for the next one when the client has taken the last. */
async function streamed(
  options: HttpInterfaceOptions,
  asked: StoreRequest,
  { read, format }: { readonly read: StatementText; readonly format: string },
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { engine, streams } = options;
  const settings = settingsOf(options, asked);
  if (!asked.settings.has('max_block_size')) settings.set('max_block_size', String(STREAM_BLOCK_ROWS));
  // A bound of what is held as a whole; here that is one block.
  if (!asked.settings.has('max_result_bytes')) settings.delete('max_result_bytes');
  const { database, parameters, queryId: id, defaultFormat } = asked;
  await streams.run(async () => {
    const blocks = engine.stream({
      ...{ sql: read.sql, text: read, id, format: defaultFormat },
      ...{ database, settings, parameters, signal },
    });
    try {
      // What fails before the first block is an answer with a status of its own.
      const first = await blocks.next();
      response.setHeader('Content-Type', contentType(format));
      response.setHeader('X-ClickHouse-Format', format);
      response.setHeader('X-ClickHouse-Timezone', 'UTC');
      if (asked.gzip) response.setHeader('Content-Encoding', 'gzip');
      const body = Readable.from(first.done ? [] : following(first.value, blocks), { objectMode: false });
      await (asked.gzip ? pipeline(body, createGzip({ level: 1 }), response) : pipeline(body, response));
    } finally {
      await blocks.return(undefined);
    }
  }, signal);
}

/** Of a query: the defaults, what its client asked for, and no more memory than one query may have. */
function settingsOf(
  { queryDefaults, queryMemoryBytes }: Pick<HttpInterfaceOptions, 'queryDefaults' | 'queryMemoryBytes'>,
  asked: StoreRequest,
): Map<string, string> {
  const settings = new Map([...queryDefaults, ...asked.settings]);
  const wanted = Number(settings.get(MEMORY));
  // 0 means no limit.
  if (!(wanted > 0 && wanted <= queryMemoryBytes)) settings.set(MEMORY, String(queryMemoryBytes));
  return settings;
}

async function* following(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* slices(first);
  for await (const block of rest) yield* slices(block);
}

async function query(
  options: HttpInterfaceOptions,
  asked: StoreRequest,
  { read, format }: { readonly read: StatementText; readonly format: string },
  signal: AbortSignal,
): Promise<Answer> {
  const { engine, queries, gate } = options;
  const settings = settingsOf(options, asked);
  const run = () =>
    engine.query({
      sql: read.sql,
      text: read,
      id: asked.queryId,
      format: asked.defaultFormat,
      database: asked.database,
      settings,
      parameters: asked.parameters,
      signal,
    });
  const result = await queries.run(isWrite(read.sql) ? () => gate.run(run, signal) : run, signal);
  const scanned = readStatistics(format, result.bytes);
  return {
    body: result.bytes,
    format,
    summary: {
      readRows: scanned?.rows ?? result.rowsRead,
      readBytes: scanned?.bytes ?? result.bytesRead,
      writtenRows: 0,
      writtenBytes: 0,
      resultRows: result.rowsRead,
      resultBytes: result.bytes.length,
      elapsedNs: Math.round(result.elapsed * 1e9),
    },
  };
}

async function insert(
  { engine, spool, inserts, gate }: HttpInterfaceOptions,
  asked: StoreRequest,
  statement: InsertStatement,
  rows: Readable,
  signal: AbortSignal,
): Promise<Answer> {
  const { database, settings, parameters } = asked;
  const written = await insertStream(
    { engine, spool, inserts, gate },
    statement,
    { id: asked.queryId, database, settings, parameters, signal },
    rows,
  );
  return {
    body: new Uint8Array(0),
    format: asked.defaultFormat,
    summary: {
      readRows: written.rowsWritten,
      readBytes: written.bytesWritten,
      writtenRows: written.rowsWritten,
      writtenBytes: written.bytesWritten,
      resultRows: written.rowsWritten,
      resultBytes: written.bytesWritten,
      elapsedNs: Math.round(written.elapsed * 1e9),
    },
  };
}

async function writeAnswer(response: ServerResponse, asked: StoreRequest, { body, format, summary }: Answer) {
  response.setHeader('Content-Type', contentType(format));
  response.setHeader('X-ClickHouse-Format', format);
  response.setHeader('X-ClickHouse-Timezone', 'UTC');
  response.setHeader(
    'X-ClickHouse-Summary',
    JSON.stringify({
      read_rows: String(summary.readRows),
      read_bytes: String(summary.readBytes),
      written_rows: String(summary.writtenRows),
      written_bytes: String(summary.writtenBytes),
      total_rows_to_read: '0',
      result_rows: String(summary.resultRows),
      result_bytes: String(summary.resultBytes),
      elapsed_ns: String(summary.elapsedNs),
    }),
  );
  if (asked.gzip && body.length > 0) {
    response.setHeader('Content-Encoding', 'gzip');
    await pipeline(Readable.from(slices(body)), createGzip({ level: 1 }), response);
  } else {
    response.end(body);
  }
}

function writeError(response: ServerResponse, error: unknown, version: string): void {
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof StoreException ? error.code : (codeOf(message) ?? 1002);
  const text = codeOf(message) === undefined ? `Code: 1002. DB::Exception: ${message} (UNKNOWN_EXCEPTION)` : message;
  response.statusCode = statusOf(code);
  if (code === 516) response.setHeader('WWW-Authenticate', 'Basic realm="ClickHouse server HTTP API"');
  response.setHeader('X-ClickHouse-Exception-Code', String(code));
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  response.end(text.includes('(version ') ? `${text}\n` : `${text} (version ${version})\n`);
}

function* slices(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) yield body.subarray(at, at + SLICE_BYTES);
}

async function* concat(first: string, rest: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  yield* rest;
}
