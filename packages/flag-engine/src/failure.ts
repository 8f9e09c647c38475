import type { EvaluationErrorCode } from './evaluation.ts';

/** Part of a flag or segment that cannot be compiled. `message` starts with the path of the part. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** Ends an evaluation from any depth. The engine's public functions catch it and return it as the answer's error. */
export class EvaluationFailure extends Error {
  override readonly name = 'EvaluationFailure';
  readonly code: EvaluationErrorCode;

  constructor(code: EvaluationErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs `compile`, and prefixes the message of a `Malformed` error with `path`. */
export function at<T>(path: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (error instanceof Malformed) throw new Malformed(`${path}: ${error.message}`);
    throw error;
  }
}

/** Why something could not be compiled, for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof Malformed) return error.message;
  return `not in the documented format (${error instanceof Error ? error.message : String(error)})`;
}
