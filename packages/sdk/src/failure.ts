/**
 * Why the server could not be asked. `denied`: it answered that this key may not have the ruleset, which waiting does
 * not change. `unavailable`: anything else, from a lost connection to an answer that makes no sense.
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

/** Anything that was thrown, as a failure. */
export function failureOf(error: unknown): ServerFailure {
  if (error instanceof ServerFailure) return error;
  // Where a name has several addresses, Node says what happened to each and leaves the message empty.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return new ServerFailure('unavailable', first instanceof Error ? first.message : String(first));
}
