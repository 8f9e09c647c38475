/** Derives a key from a name: `Pre-Production (EU)` → `pre-production-eu`. Empty if no character is usable. */
export function keyFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|[-.]+$/g, '')
    .slice(0, 128);
}
