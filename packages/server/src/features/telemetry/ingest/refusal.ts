import type { IncomingHttpHeaders } from 'node:http';
import { JsonError, TooLarge, WireError } from '@fanion/telemetry';
import { WalFull } from '../../../platform/wal/index.ts';
import type { IngestDenied } from './principal.ts';

/** Why a request was rejected outright. */
export type RefusalReason =
  | 'malformed'
  | 'unsupported'
  | 'unauthenticated'
  | 'forbidden'
  | 'too_large'
  /** The project sends more than it may; the same is welcome later. */
  | 'limited'
  /** Nothing is wrong with the request; the same is welcome later. */
  | 'unavailable';

/** A request of which nothing was kept. Each protocol reports it in its own form. */
export class Refused extends Error {
  readonly reason: RefusalReason;
  /** Whole seconds after which the same request may be sent again; `undefined`: it would be refused again. */
  readonly retryAfter: number | undefined;
  /** Headers that HTTP asks for beside the status. */
  readonly headers: IncomingHttpHeaders;

  constructor(
    reason: RefusalReason,
    message: string,
    { retryAfter, headers }: { retryAfter?: number | undefined; headers?: IncomingHttpHeaders } = {},
  ) {
    super(message);
    this.name = 'Refused';
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.headers = {
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(reason === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
      ...headers,
    };
  }
}

export const httpStatus: Record<RefusalReason, number> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  too_large: 413,
  unsupported: 415,
  limited: 429,
  unavailable: 503,
};

/** Seconds; exporters back off by themselves beyond it. */
const RETRY_AFTER = 5;

export function refusedCaller({ denied, message, retryAfter }: IngestDenied): Refused {
  if (denied === 401) return new Refused('unauthenticated', message);
  if (denied === 403) return new Refused('forbidden', message);
  return new Refused('limited', message, { retryAfter: retryAfter ?? RETRY_AFTER });
}

/** What an error means to the sender. `onFault` is told of those that are ours. */
export function refusalOf(error: unknown, onFault: (error: unknown) => void): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof WireError || error instanceof JsonError) return new Refused('malformed', error.message);
  if (error instanceof TooLarge) return new Refused('too_large', error.message);
  if (error instanceof WalFull) return new Refused('unavailable', error.message, { retryAfter: RETRY_AFTER });
  // Nothing was acknowledged, and the fault is ours (the control plane is away, the worker is being restarted): what
  // the sender keeps and sends again is not lost.
  onFault(error);
  return new Refused('unavailable', 'telemetry cannot be accepted right now', { retryAfter: RETRY_AFTER });
}
