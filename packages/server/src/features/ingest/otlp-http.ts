import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SIGNALS, type Signal, WalFull } from '../../platform/wal/index.ts';
import type { Ingest, IngestLimits } from './ingest.ts';
import { JsonError } from './json/text.ts';
import { responseBody, rpcCode, statusBody } from './otlp-status.ts';
import type { BodyFormat } from './prepare.ts';
import type { Authenticate } from './principal.ts';
import { TooLarge } from './scan/index.ts';
import { WireError } from './wire/reader.ts';

export interface OtlpHttpOptions {
  ingest: Pick<Ingest, 'append'>;
  authenticate: Authenticate;
  limits: Pick<IngestLimits, 'compressedBytes' | 'inflatedBytes'>;
}

/** An answer as bytes, whatever server sends it. */
interface Answer {
  status: number;
  body: Buffer;
  headers?: Record<string, string>;
}

const mediaTypes: Record<BodyFormat, string> = { protobuf: 'application/x-protobuf', json: 'application/json' };
const inflate = promisify<Buffer, { maxOutputLength: number; chunkSize: number }, Buffer>(gunzip);
/** Seconds; OTLP exporters back off by themselves beyond it. */
const RETRY_AFTER = '5';
const DISCARDABLE_BYTES = 64 * 1024 ** 2;

/**
 * Adds POST /v1/traces, /v1/logs and /v1/metrics as the OTLP/HTTP specification has them. Bodies are read by the
 * handler: no parser of the surrounding application sees them.
 */
export function registerOtlpHttp(app: FastifyInstance, options: OtlpHttpOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const signal of SIGNALS) {
      scope.post(`/v1/${signal}`, (request, reply) => answer(signal, request, reply, options));
    }
  });
}

async function answer(
  signal: Signal,
  request: FastifyRequest,
  reply: FastifyReply,
  options: OtlpHttpOptions,
): Promise<FastifyReply> {
  const format = formatOf(request.headers['content-type']);
  const { status, body, headers } = await handleExport(signal, format, request, options);
  if (headers !== undefined) reply.headers(headers);
  if (!request.raw.complete) discardRest(request.raw, reply);
  return reply
    .code(status)
    .header('content-type', mediaTypes[format ?? 'json'])
    .send(body);
}

async function handleExport(
  signal: Signal,
  format: BodyFormat | undefined,
  request: FastifyRequest,
  { ingest, authenticate, limits }: OtlpHttpOptions,
): Promise<Answer> {
  if (format === undefined) {
    return refuse('json', 415, rpcCode.invalidArgument, 'send application/x-protobuf or application/json');
  }
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'gzip' && encoding !== 'identity') {
    return refuse(format, 415, rpcCode.invalidArgument, 'content encodings: gzip, identity', {
      'accept-encoding': 'gzip',
    });
  }
  try {
    const principal = await authenticate(request.headers.authorization, request.ip);
    if ('denied' in principal) {
      const { denied, message, retryAfter } = principal;
      const codes = { 401: rpcCode.unauthenticated, 403: rpcCode.permissionDenied, 429: rpcCode.resourceExhausted };
      const headers: Record<string, string> = {};
      if (denied === 401) headers['www-authenticate'] = 'Bearer';
      if (denied === 429) headers['retry-after'] = String(retryAfter ?? RETRY_AFTER);
      return refuse(format, denied, codes[denied], message, headers);
    }
    const isGzip = encoding === 'gzip';
    const sent = await readBody(request.raw, isGzip ? limits.compressedBytes : limits.inflatedBytes);
    const body = isGzip ? await inflateBody(sent, limits.inflatedBytes) : sent;
    const { rejected, message } = await ingest.append({ signal, format, body, principal });
    return { status: 200, body: responseBody(format, signal, rejected, message) };
  } catch (error) {
    return refusalOf(format, error, request);
  }
}

function refusalOf(format: BodyFormat, error: unknown, request: FastifyRequest): Answer {
  if (error instanceof WireError || error instanceof JsonError) {
    return refuse(format, 400, rpcCode.invalidArgument, error.message);
  }
  if (error instanceof TooLarge) return refuse(format, 413, rpcCode.resourceExhausted, error.message);
  const retry = { 'retry-after': RETRY_AFTER };
  if (error instanceof WalFull) return refuse(format, 503, rpcCode.unavailable, error.message, retry);
  // Nothing was acknowledged, and the fault is ours (the control plane is away, the worker is being restarted): what
  // the sender keeps and sends again is not lost.
  request.log.error({ err: error }, 'telemetry could not be accepted');
  return refuse(format, 503, rpcCode.unavailable, 'telemetry cannot be accepted right now', retry);
}

function refuse(
  format: BodyFormat,
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return { status, body: statusBody(format, code, message), headers };
}

function formatOf(contentType: string | undefined): BodyFormat | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-protobuf' || type === 'application/protobuf') return 'protobuf';
  return type === 'application/json' ? 'json' : undefined;
}

/**
 * After an answer that came before the body had ended. A sender that is still writing would miss the answer if the
 * connection were closed under it, so what is left is read and thrown away, unless that has no end in sight.
 */
function discardRest(request: IncomingMessage, reply: FastifyReply): void {
  const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (length > DISCARDABLE_BYTES) reply.header('connection', 'close');
  else request.resume();
}

/** @throws {TooLarge} as soon as the limit is passed. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = new TooLarge(`the body is larger than ${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take).pause();
      reject(tooLarge);
    };
    request.on('data', take);
    request.once('end', resolve);
    request.once('error', reject);
    request.once('close', () => reject(new WireError('the connection was closed before the body had ended')));
  });
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}

/** Inflating stops at the limit, however much more there would be. */
async function inflateBody(body: Buffer, limit: number): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: limit, chunkSize: 256 * 1024 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new TooLarge(`the body inflates to more than ${limit} bytes`);
    throw new WireError('the body is not gzip');
  }
}
