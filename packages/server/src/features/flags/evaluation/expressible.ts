/** Why the evaluator of another product cannot give the engine's answers for a flag; an ending of "the flag …". */
export class NotExpressible extends Error {}

/** What a conversion makes, or the reason that it cannot. */
export type Attempt<T> = { readonly made: T } | { readonly reason: string };

export function attempt<T>(convert: () => T): Attempt<T> {
  try {
    return { made: convert() };
  } catch (error) {
    if (error instanceof NotExpressible) return { reason: error.message };
    throw error;
  }
}

export function reasonsOf(tried: Attempt<unknown>): readonly string[] {
  return 'reason' in tried ? [tried.reason] : [];
}
