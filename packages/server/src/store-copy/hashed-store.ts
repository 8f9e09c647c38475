/** Whether a column holds states of an aggregate function, and not values. */
export function isState(type: string): boolean {
  return type.startsWith('AggregateFunction(');
}

/** A column as an argument of a hash. The hash of a row with a NULL would be NULL, and missing in the sum. */
export function hashedValue(column: string, type: string): string {
  return type.includes('Nullable(') ? `isNull(${column}), ifNull(toString(${column}), '')` : column;
}

/** Functions whose result is the same for a state that was written and read again. The bytes of a state may differ. */
const stable = ['uniqCombined', 'quantilesDD'];

/**
 * The result of a state as an argument of a hash; undefined: the function is not known. Of `approx_top_sum`, reading changes the order of
 * values with the same count, and so which of those with the least count are among the results, if these are as many as can be: then
 * only their counts are hashed.
 */
export function hashedState(column: string, type: string): string | undefined {
  const [, name = '', most = ''] = /^AggregateFunction\((\w+)(?:\((\d+))?/.exec(type) ?? [];
  const result = `finalizeAggregation(${column})`;
  if (stable.includes(name)) return result;
  if (name !== 'approx_top_sum' || most === '') return undefined;
  const counts = `arrayMap(one -> one.2, ${result})`;
  const isSettled = `one.2 > arrayMin(${counts}) OR length(${result}) < ${most}`;
  return `arraySort(${counts}), arraySort(arrayFilter(one -> ${isSettled}, ${result}))`;
}
