const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Logic with the shared tests that it names. */
export function expanded(logic: unknown, shared: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(logic)) return logic.map((one) => expanded(one, shared));
  if (!isMap(logic)) return logic;
  if (typeof logic.$ref === 'string') return shared[logic.$ref];
  return Object.fromEntries(Object.entries(logic).map(([name, value]) => [name, expanded(value, shared)]));
}
