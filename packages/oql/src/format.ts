import { parse } from './syntax/parse.ts';
import { printQuery } from './syntax/print.ts';

/** The normal form of a query; a text that does not parse is returned unchanged. */
export function format(text: string): string {
  const { query, findings } = parse(text);
  const broken = findings.some((finding) => (finding.severity ?? 'error') === 'error');
  return query && !broken ? printQuery(query) : text;
}
