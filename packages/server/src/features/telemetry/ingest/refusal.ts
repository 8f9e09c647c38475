import type { IncomingHttpHeaders } from 'node:http';
import { JsonError, TooLarge, WireError } from '@fanion/telemetry';
import { Failure } from '../../../platform/fail.ts';
import { WalFull } from '../../../platform/wal/index.ts';
import type { IngestDenied } from './principal.ts';

/** Why a request was rejected outright. */
export type RefusalReason =
  | 'malformed'
  | 'unsupported'
  | 'unauthenticated'
  | 'forbidden'
  | 'too_large'
  /** The project exceeds a limit; the same request may succeed later. */
  | 'limited'
  /** The request is valid; the same request may succeed later. */
  | 'unavailable';

/** A request that was rejected outright. Each protocol reports it in its own form. */
export class Refused extends Error {
  readonly reason: RefusalReason;
  /** Whole seconds after which to retry the same request; `undefined` if it would be rejected again. */
  readonly retryAfter: number | undefined;
  /** Headers that HTTP requires with the status. */
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

/** Seconds; exporters back off further on their own. */
const RETRY_AFTER = 5;

export function refusedCaller({ denied, message, retryAfter }: IngestDenied): Refused {
  if (denied === 401) return new Refused('unauthenticated', message);
  if (denied === 403) return new Refused('forbidden', message);
  return new Refused('limited', message, { retryAfter: retryAfter ?? RETRY_AFTER });
}

/** Maps an error to its meaning for the sender. Calls `onFault` for errors of this server. */
export function refusalOf(error: unknown, onFault: (error: unknown) => void): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof WireError || error instanceof JsonError) return new Refused('malformed', error.message);
  if (error instanceof TooLarge) return new Refused('too_large', error.message);
  if (error instanceof WalFull) return new Refused('unavailable', error.message, { retryAfter: RETRY_AFTER });
  if (error instanceof Failure && error.status === 503)
    return new Refused('unavailable', error.message, { retryAfter: error.retryAfterSeconds ?? RETRY_AFTER });
  // Nothing was acknowledged, and the error is ours (the control plane is down, the worker is restarting): a sender
  // that keeps the data and retries loses nothing.
  onFault(error);
  return new Refused('unavailable', 'telemetry cannot be accepted right now', { retryAfter: RETRY_AFTER });
}
