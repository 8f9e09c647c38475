/** The quantile of numbers, which are sorted in place: between two of them, their weighted average. NaN is the least number. */
export function quantileOf(quantile: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(quantile)) return Number.NaN;
  if (quantile < 0) return Number.NEGATIVE_INFINITY;
  if (quantile > 1) return Number.POSITIVE_INFINITY;
  values.sort();
  // Typed arrays sort NaN to the end.
  let numbers = values.length;
  while (numbers > 0 && Number.isNaN(values[numbers - 1])) numbers--;
  const missing = values.length - numbers;
  const at = (index: number) => (index < missing ? Number.NaN : (values[index - missing] ?? Number.NaN));
  const rank = quantile * (values.length - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(values.length - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return at(lower) * (1 - weight) + at(upper) * weight;
}
