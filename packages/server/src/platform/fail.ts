import { type ErrorDetail, type ErrorName, errors } from '@fanion/contract';

/** A failure with a name in the registry. Only the protocol layer turns it into a response. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly error: ErrorName;
  readonly status: number;
  readonly code: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly details: readonly ErrorDetail[] | undefined;
  /** Seconds after which a new attempt makes sense; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    error: ErrorName,
    parameters: Readonly<Record<string, string | number>>,
    more: { details?: readonly ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown },
  ) {
    const definition = errors[error];
    super(definition.message(parameters), more.cause === undefined ? undefined : { cause: more.cause });
    this.error = error;
    this.status = definition.status;
    this.code = definition.code;
    this.parameters = parameters;
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** Creates the failure to throw: `throw fail('FLAG_NOT_FOUND', { key })`. */
export function fail(
  error: ErrorName,
  parameters: Readonly<Record<string, string | number>> = {},
  more: { details?: readonly ErrorDetail[]; retryAfterSeconds?: number; cause?: unknown } = {},
): Failure {
  return new Failure(error, parameters, more);
}
