/**
 * Search parameters are flat strings, so that URLs stay readable and can be edited by hand:
 * `?q=spans | limit 5&from=now-1h`.
 */
export type FlatSearch = Record<string, string | undefined>;

/** `?a=1&b=x` → `{a: '1', b: 'x'}`; a name given twice keeps its last value. */
export function parseSearch(text: string): FlatSearch {
  const search: FlatSearch = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) search[key] = value;
  return { ...search };
}

/** The reverse. Omits undefined and empty values, writes spaces as `+`, and keeps characters that are legal in a query. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') parts.set(key, String(value));
  }
  const text = parts.toString().replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

/** Picks the named parameters that are non-empty strings. */
export function pick<const K extends string>(
  search: Record<string, unknown>,
  ...keys: readonly K[]
): { [P in K]?: string } {
  const picked: { [P in K]?: string } = {};
  for (const key of keys) {
    const value = search[key];
    if (typeof value === 'string' && value !== '') picked[key] = value;
  }
  return picked;
}

/** A path of this origin to return to after sign-in; anything else (`//host`, `https:`, `/\host`) becomes the start page. */
export function safeReturnPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/';
  try {
    const url = new URL(next, 'http://origin.invalid');
    return url.origin === 'http://origin.invalid' && !url.pathname.startsWith('/sign-')
      ? url.pathname + url.search + url.hash
      : '/';
  } catch {
    return '/';
  }
}
