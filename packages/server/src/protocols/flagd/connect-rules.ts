import { status } from '@grpc/grpc-js';
import { Refusal } from './resolve-rules.ts';

/*
 * Connect's protocol (https://connectrpc.com/docs/protocol), version 1, as far as flagd's service needs it.
 */

/** How messages are written. */
export type Form = 'json' | 'proto';

/** What a code of gRPC is called in Connect, and the HTTP status that it has there. */
const errors: Readonly<Record<Exclude<status, status.OK>, readonly [name: string, httpStatus: number]>> = {
  [status.CANCELLED]: ['canceled', 499],
  [status.UNKNOWN]: ['unknown', 500],
  [status.INVALID_ARGUMENT]: ['invalid_argument', 400],
  [status.DEADLINE_EXCEEDED]: ['deadline_exceeded', 504],
  [status.NOT_FOUND]: ['not_found', 404],
  [status.ALREADY_EXISTS]: ['already_exists', 409],
  [status.PERMISSION_DENIED]: ['permission_denied', 403],
  [status.RESOURCE_EXHAUSTED]: ['resource_exhausted', 429],
  [status.FAILED_PRECONDITION]: ['failed_precondition', 400],
  [status.ABORTED]: ['aborted', 409],
  [status.OUT_OF_RANGE]: ['out_of_range', 400],
  [status.UNIMPLEMENTED]: ['unimplemented', 501],
  [status.INTERNAL]: ['internal', 500],
  [status.UNAVAILABLE]: ['unavailable', 503],
  [status.DATA_LOSS]: ['data_loss', 500],
  [status.UNAUTHENTICATED]: ['unauthenticated', 401],
};

export interface ConnectError {
  readonly code: string;
  readonly message: string;
}

export function connectError({ code, details }: { readonly code: status; readonly details: string }): {
  readonly httpStatus: number;
  readonly error: ConnectError;
} {
  const [name, httpStatus] = errors[code === status.OK ? status.UNKNOWN : code];
  return { httpStatus, error: { code: name, message: details } };
}

/** The code that clients infer from an HTTP status without a body. */
export function codeOfHttp(httpStatus: number): string {
  switch (httpStatus) {
    case 400:
      return 'internal';
    case 401:
      return 'unauthenticated';
    case 403:
      return 'permission_denied';
    case 404:
      return 'unimplemented';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    default:
      return 'unknown';
  }
}

export const contentTypes = {
  unary: { json: 'application/json', proto: 'application/proto' },
  stream: { json: 'application/connect+json', proto: 'application/connect+proto' },
} as const;

/** Undefined for a type that methods of this kind do not take. */
export function formOf(contentType: string | undefined, kind: keyof typeof contentTypes): Form | undefined {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const { json, proto } = contentTypes[kind];
  const isUtf8 = parameters.every((one) => /^\s*charset="?utf-?8"?\s*$/.test(one));
  if (type.trim() === json && isUtf8) return 'json';
  return type.trim() === proto && parameters.length === 0 ? 'proto' : undefined;
}

/** @throws Refusal */
export function requireVersion(version: string | string[] | undefined): void {
  if (version !== undefined && version !== '1')
    throw new Refusal(status.INVALID_ARGUMENT, 'unsupported Connect-Protocol-Version: use 1');
}

/** Timers cannot wait longer. */
const longestMs = 2 ** 31 - 1;

/** Milliseconds; undefined: as long as it takes. @throws Refusal */
export function timeoutOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !/^\d{1,10}$/.test(header))
    throw new Refusal(status.INVALID_ARGUMENT, 'malformed Connect-Timeout-Ms: use at most 10 digits');
  return Math.min(Number(header), longestMs);
}

export type Compression = 'gzip' | 'identity';

/** @throws Refusal */
export function compressionOf(header: string | string[] | undefined): Compression {
  if (header === undefined || header === 'identity') return 'identity';
  if (header === 'gzip') return 'gzip';
  throw new Refusal(status.UNIMPLEMENTED, 'unsupported compression: use gzip or identity');
}

const prefixBytes = 5;
const compressedFlag = 1;
const endFlag = 2;

/** The only message of a request that is a stream. @throws Refusal */
export function onlyMessage(
  body: Buffer,
  compression: Compression,
): { readonly message: Buffer; readonly isCompressed: boolean } {
  if (body.length === 0) throw new Refusal(status.UNIMPLEMENTED, 'the request has no message');
  const flags = body[0] ?? 0;
  const end = body.length < prefixBytes ? Number.POSITIVE_INFINITY : prefixBytes + body.readUInt32BE(1);
  if (end > body.length) throw new Refusal(status.INVALID_ARGUMENT, 'the request ends within a message');
  if ((flags & ~compressedFlag) !== 0) throw new Refusal(status.INVALID_ARGUMENT, 'the message has unknown flags');
  const isCompressed = flags === compressedFlag;
  if (isCompressed && compression === 'identity')
    throw new Refusal(status.INTERNAL, 'the message is compressed, but Connect-Content-Encoding names no compression');
  if (end < body.length) throw new Refusal(status.UNIMPLEMENTED, 'the request has more than one message');
  return { message: body.subarray(prefixBytes), isCompressed };
}

/** What stands before a message in a stream. */
export function messagePrefix(bytes: number, flags = 0): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(bytes, 1);
  return prefix;
}

/** The last message of a stream, which is JSON in both forms. */
export function endOfStream(error: ConnectError): Buffer {
  const json = Buffer.from(JSON.stringify({ error }));
  return Buffer.concat([messagePrefix(json.length, endFlag), json]);
}
