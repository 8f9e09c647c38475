type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/**
 * Calls a function once for each key, and returns or throws the same from then on. A call for a key whose first call is still running
 * throws `cycle(key)`.
 */
export function oncePerKey<T>(make: (key: string) => T, cycle: (key: string) => Error): (key: string) => T {
  const outcomes = new Map<string, Outcome<T> | 'running'>();
  function outcomeOf(key: string): Outcome<T> {
    try {
      return { value: make(key) };
    } catch (error) {
      return { error };
    }
  }
  return (key) => {
    let outcome = outcomes.get(key);
    if (outcome === 'running') throw cycle(key);
    if (outcome === undefined) {
      outcomes.set(key, 'running');
      outcome = outcomeOf(key);
      outcomes.set(key, outcome);
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}
