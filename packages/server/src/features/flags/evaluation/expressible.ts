import type { Scalar } from '@fanion/flag-engine';
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

/** Collects every reason why a flag cannot be converted. */
export class Reasons {
  readonly #all = new Set<string>();

  add(reason: string): void {
    this.#all.add(reason);
  }

  /** Converts a part. If that is impossible, `otherwise` takes its place, since the flag is not served anyway. */
  part<T>(convert: () => T, otherwise: T): T {
    const tried = attempt(convert);
    if ('made' in tried) return tried.made;
    this.add(tried.reason);
    return otherwise;
  }

  all(): readonly string[] {
    return [...this.#all];
  }
}

/** A flag in the form of another product, which is served if there are no reasons against it. */
export interface Converted<T> {
  readonly feature: T;
  /** Endings of "the flag …". */
  readonly reasons: readonly string[];
}

/** @throws NotExpressible with the first reason */
export function expressed<T>({ feature, reasons: [reason] }: Converted<T>): T {
  if (reason !== undefined) throw new NotExpressible(reason);
  return feature;
}

export function reasonsOf(tried: Attempt<unknown>): readonly string[] {
  return 'reason' in tried ? [tried.reason] : [];
}

/** Texts, and the numbers and booleans that are written like one of them. */
export function ofAnyType(values: readonly Scalar[]): Scalar[] {
  const others = values.flatMap((text): Scalar[] => {
    if (text === 'true' || text === 'false') return [text === 'true'];
    const number = Number(text);
    return Number.isFinite(number) && String(number) === text ? [number] : [];
  });
  return [...values, ...others];
}
