/** Whether arrays and objects are nested deeper than `limit`. It stops at the limit, so its own stack is bounded. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit <= 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isDeeperThan(inner, limit - 1));
  for (const name in value)
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], limit - 1)) return true;
  return false;
}
