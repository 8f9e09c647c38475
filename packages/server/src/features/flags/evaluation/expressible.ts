import type { Steps } from '../../../platform/steps.ts';

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

/** Converts items one by one. Those that cannot be converted are left out. */
export function* convertible<T>(keys: readonly string[], convert: (key: string) => T): Steps<[key: string, made: T][]> {
  const all: [string, T][] = [];
  for (const key of keys) {
    const tried = attempt(() => convert(key));
    if ('made' in tried) all.push([key, tried.made]);
    yield;
  }
  return all;
}

export function reasonsOf(tried: Attempt<unknown>): readonly string[] {
  return 'reason' in tried ? [tried.reason] : [];
}
