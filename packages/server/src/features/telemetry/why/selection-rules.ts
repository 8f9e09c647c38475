/** What selected items are called, in the plural, from the fields of the condition that selects them. */
export function nounOf(defining: ReadonlySet<string>): string {
  const has = (...names: string[]) => names.some((name) => defining.has(name));
  if (has('status', 'severity', 'error', 'error.type', 'http.response.status_code', 'exception.type')) return 'errors';
  if (has('duration', 'self_time', 'critical_path')) return 'slow traces';
  return 'selected traces';
}

/** Names of the fields that occur in the conditions, in every spelling: they cannot explain the difference. */
export function namedFields(references: readonly string[]): Set<string> {
  return new Set(
    references.flatMap((reference) => {
      const bare = reference.replace(/^(resource|attr|attributes|span|log)\./, '');
      return [bare, `resource.${bare}`];
    }),
  );
}

/** The share of the rows that is read, so that they are at most `most`; undefined: all. */
export function shareOf(rows: number, most: number): number | undefined {
  return rows > most ? Math.max(1e-6, most / rows) : undefined;
}
