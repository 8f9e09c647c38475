import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Signal } from '@fanion/telemetry';
import { TooLarge, WireError } from '@fanion/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SendFailure } from '../../../http/context.ts';
import type { Held } from './limits/body-budget.ts';
import type { IngestPrincipal } from './principal.ts';
import type { Receiver } from './receiver.ts';
import { httpStatus, Refused, refusalOf, refusedCaller } from './refusal.ts';

/** Identified senders, for counting later rejections. */
const senders = new WeakMap<FastifyRequest, IngestPrincipal>();

export interface Received {
  principal: IngestPrincipal;
  /** Inflated, unless its encoding is `snappy`. */
  body: Buffer;
  /** For the result of reading the body. */
  held: Held;
}

/** `snappy` bodies are passed on compressed: the converter decompresses them. */
export type ContentEncoding = 'gzip' | 'snappy' | 'identity';

const inflate = promisify<Buffer, { maxOutputLength: number; chunkSize: number }, Buffer>(gunzip);
const BROKEN_OFF = 'the connection was closed before the body had ended';
const DISCARDABLE_BYTES = 64 * 1024 ** 2;

/** Adds routes whose handlers read the body: no parser of the surrounding application sees it. */
export function withRawBodies(
  app: FastifyInstance,
  addRoutes: (scope: FastifyInstance) => void,
  sendRefusal: SendFailure,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error, request, reply) => sendRefusal(error, request, reply));
    addRoutes(scope);
  });
}

/** The media type of a request, without its parameters. */
export function mediaTypeOf({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** @throws {Refused} for any unsupported encoding. */
export function encodingOf({ headers }: FastifyRequest, taken: readonly ContentEncoding[]): ContentEncoding {
  const given = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  const encoding = taken.find((candidate) => candidate === given);
  if (encoding !== undefined) return encoding;
  const names = taken.filter((name) => name !== 'identity').join(', ');
  throw new Refused('unsupported', `unsupported content encoding; supported: ${taken.join(', ')}`, {
    headers: names === '' ? {} : { 'accept-encoding': names },
  });
}

/**
 * Identifies the sender, and only then reads the body.
 * @throws {Refused | TooLarge | WireError}
 */
export async function receive(
  request: FastifyRequest,
  encoding: ContentEncoding,
  reply: FastifyReply,
  { admit, authenticate, limits, bodies }: Receiver,
): Promise<Received> {
  const principal = await authenticate(request.headers.authorization, request.ip);
  if ('denied' in principal) throw refusedCaller(principal);
  senders.set(request, principal);
  admit(principal);
  const isPacked = encoding !== 'identity';
  if (request.raw.destroyed) throw new WireError(BROKEN_OFF);
  const held = bodies.hold(principal.project);
  // Fires after every response, and when the connection breaks before it.
  reply.raw.once('close', held.release);
  const sent = await readBody(request.raw, isPacked ? limits.compressedBytes : limits.inflatedBytes, held);
  if (encoding !== 'gzip') return { principal, body: sent, held };
  const body = await inflateBody(sent, limits.inflatedBytes);
  holdMore(held, body.length);
  return { principal, body, held };
}

/**
 * Prepares the response to a request that is rejected outright: its status and headers, but not its body. Counts it.
 * @returns the content of the body.
 */
export function refuse(
  error: unknown,
  signal: Signal,
  request: FastifyRequest,
  reply: FastifyReply,
  receiver: Receiver,
): Refused {
  const refusal = refusalOf(error, (err) => request.log.error({ err }, 'telemetry could not be accepted'));
  discardRest(request, reply);
  reply.code(httpStatus[refusal.reason]).headers(refusal.headers);
  countRefused(refusal, signal, request, receiver);
  return refusal;
}

function countRefused(refusal: Refused, signal: Signal, request: FastifyRequest, receiver: Receiver): void {
  const { authenticate, refused } = receiver;
  const sender = senders.get(request);
  if (sender !== undefined) refused(sender, signal, refusal);
  // Errors in the headers are reported before the sender is identified.
  else if (refusal.reason === 'unsupported' || refusal.reason === 'malformed') {
    authenticate(request.headers.authorization, request.ip).then(
      (found) => 'denied' in found || refused(found, signal, refusal),
      () => {},
    );
  }
}

/** Responds with a line of plain text, for protocols without an error format. */
export function sendText(reply: FastifyReply, message: string): FastifyReply {
  return reply.header('content-type', 'text/plain; charset=utf-8').send(`${message}\n`);
}

/**
 * Called after a response that was sent before the body ended. A sender that is still writing would miss the response if
 * the connection closed, so the rest of the body is read and discarded, up to a limit.
 */
function discardRest(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (length > DISCARDABLE_BYTES) reply.header('connection', 'close');
  else request.raw.resume();
}

/** @throws {Refused} while there is no room for it. */
export function holdMore(held: Held, bytes: number): void {
  const missing = held.more(bytes);
  if (missing === 'project') {
    throw new Refused('limited', 'the project has too many requests in progress', { retryAfter: 1 });
  }
  if (missing === 'total') {
    throw new Refused('unavailable', 'too many requests are in progress', { retryAfter: 1 });
  }
}

/**
 * @throws {TooLarge} as soon as the limit is exceeded.
 * @throws {Refused} as soon as the memory budget is used up.
 */
async function readBody(request: IncomingMessage, limit: number, held: Held): Promise<Buffer> {
  // Made when it is thrown: an error collects its stack, which costs more than all else that is done here.
  const tooLarge = () => new TooLarge(`the body is larger than ${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      length += chunk.length;
      try {
        if (length > limit) throw tooLarge();
        holdMore(held, chunk.length);
        chunks.push(chunk);
      } catch (error) {
        request.off('data', take).pause();
        reject(error);
      }
    };
    const broken = () => reject(new WireError(BROKEN_OFF));
    request.on('data', take);
    request.once('end', () => {
      request.off('close', broken);
      resolve();
    });
    request.once('error', reject);
    request.once('close', broken);
  });
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}

/** Inflates up to the limit. */
export async function inflateBody(body: Buffer, limit: number): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: limit, chunkSize: 256 * 1024 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new TooLarge(`the body inflates to more than ${limit} bytes`);
    throw new WireError('the body is not gzip');
  }
}
