/**
 * An expression that is not valid or cannot be evaluated, in Prometheus' words.
 *
 * - `parse`: the text is not a valid expression
 * - `execution`: the expression is valid, but the samples are not fit for it
 * - `limit`: the evaluation exceeds a limit
 * - `canceled`: the signal was aborted
 */
export class PromqlError extends Error {
  override readonly name = 'PromqlError';
  readonly kind: 'parse' | 'execution' | 'limit' | 'canceled';
  /** UTF-16 code units in the text; absent where no part of it is to blame. */
  readonly from: number | undefined;
  readonly to: number | undefined;

  constructor(kind: PromqlError['kind'], message: string, at?: { readonly from: number; readonly to: number }) {
    super(message);
    this.kind = kind;
    this.from = at?.from;
    this.to = at?.to;
  }
}
