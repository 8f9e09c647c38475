/** A key that a name suggests: `Pre-Production (EU)` → `pre-production-eu`. Empty where nothing usable is in it. */
export function keyFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|[-.]+$/g, '')
    .slice(0, 128);
}
