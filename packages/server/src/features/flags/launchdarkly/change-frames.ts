import type { Ruleset } from '@fanion/flag-engine';

/** Makes what follows from two versions of a ruleset once, for all streams of its environment. */
export function perChange<T, Rest extends readonly unknown[] = []>(
  make: (from: Ruleset, to: Ruleset, ...rest: Rest) => Promise<T>,
): (from: Ruleset, to: Ruleset, ...rest: Rest) => Promise<T> {
  const known = new WeakMap<Ruleset, WeakMap<Ruleset, Promise<T>>>();
  return (from, to, ...rest) => {
    const ofVersion = known.get(to) ?? new WeakMap<Ruleset, Promise<T>>();
    known.set(to, ofVersion);
    const made = ofVersion.get(from) ?? make(from, to, ...rest);
    ofVersion.set(from, made);
    return made;
  };
}
