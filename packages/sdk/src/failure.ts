/**
 * Why a request to the server failed. `denied`: the key may not read the ruleset, so a retry is useless. `unavailable`:
 * anything else, from a lost connection to an invalid response.
 */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
  readonly kind: 'denied' | 'unavailable';
  /** From `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: 'denied' | 'unavailable', message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Converts any thrown value to a failure. */
export function failureOf(error: unknown): ServerFailure {
  if (error instanceof ServerFailure) return error;
  // If a name has several addresses, Node reports an error for each and leaves the message empty.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return new ServerFailure('unavailable', first instanceof Error ? first.message : String(first));
}
