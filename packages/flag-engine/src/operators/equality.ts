import { fold, MAX_LISTED_VALUES, type Operator } from './operator.ts';

/**
 * `in`, `eq` and, complemented by the clause, `not_in`, `neq`: equal in type and value. "1" is not 1, "true" is not
 * true, "A" is not "a".
 */
export const equality: Operator = {
  compares: 'any',
  foldsCase: true,
  check: (value) => {
    if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must be a finite number';
    return typeof value === 'string' || typeof value === 'boolean' ? undefined : 'must be a string, number or boolean';
  },
  maxValues: MAX_LISTED_VALUES,
  compile: (values, { ignoreCase }) => {
    if (ignoreCase) {
      const folded = new Set(values.map(fold));
      return (actual) => folded.has(fold(actual));
    }
    const [only] = values;
    if (values.length === 1) return (actual) => actual === only;
    const set = new Set(values);
    return (actual) => set.has(actual);
  },
};
