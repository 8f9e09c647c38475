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

/** Anything that was thrown, as a failure; a network error says in its cause what happened. */
export function failureOf(error: unknown): ServerFailure {
  if (error instanceof ServerFailure) return error;
  if (!(error instanceof Error)) return new ServerFailure('unavailable', String(error));
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return new ServerFailure('unavailable', `${error.message}${cause}`);
}
