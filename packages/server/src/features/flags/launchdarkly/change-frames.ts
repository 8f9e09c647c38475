import type { Ruleset } from '@fanion/flag-engine';

/** Makes what follows from two versions of a ruleset once, for all streams of its environment. */
export function perChange<T, Rest extends readonly unknown[] = []>(
  make: (from: Ruleset, to: Ruleset, ...rest: Rest) => T,
): (from: Ruleset, to: Ruleset, ...rest: Rest) => T {
  const known = new WeakMap<Ruleset, WeakMap<Ruleset, { readonly made: T }>>();
  return (from, to, ...rest) => {
    const ofVersion = known.get(to) ?? new WeakMap<Ruleset, { readonly made: T }>();
    known.set(to, ofVersion);
    const entry = ofVersion.get(from) ?? { made: make(from, to, ...rest) };
    ofVersion.set(from, entry);
    return entry.made;
  };
}
