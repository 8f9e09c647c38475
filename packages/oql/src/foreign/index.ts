import { type Finding, replaceWith } from '../diagnostics/diagnostic.ts';
import { SOURCE_WORDS } from '../grammar/keywords.ts';
import { kqlToOql } from './kql.ts';
import { logqlToOql } from './logql.ts';
import { promqlToOql } from './promql.ts';
import { sqlToOql } from './sql.ts';
import { traceqlToOql } from './traceql.ts';

interface Language {
  readonly name: string;
  readonly looks: (text: string) => boolean;
  readonly toOql?: (text: string) => string | undefined;
}

const LANGUAGES: readonly Language[] = [
  { name: 'SQL', looks: (text) => /^(?:select|with|explain)\s/i.test(text), toOql: sqlToOql },
  {
    name: 'LogQL',
    looks: (text) =>
      /^\{\s*\w+\s*(?:=|!=|=~|!~)\s*["`]/.test(text) ||
      /^[\w (),]{0,200}_over_time\s*\(\s*\{/.test(text) ||
      /^[\w (),]{0,200}\brate\s*\(\s*\{/.test(text),
    toOql: logqlToOql,
  },
  { name: 'TraceQL', looks: (text) => /^\{[^}]*\}/.test(text), toOql: traceqlToOql },
  {
    name: 'PromQL',
    looks: (text) =>
      /^(?:sum|avg|min|max|count|topk|bottomk|stddev|quantile|histogram_quantile|rate|irate|increase|delta|deriv|predict_linear|absent|label_replace|\w+_over_time)\s*(?:\(|by\b|without\b)/i.test(
        text,
      ) || /^[A-Za-z_:][\w:]*\s*(?:\{[^}]*\}|\[\w+\])/.test(text),
    toOql: promqlToOql,
  },
  {
    name: 'Splunk SPL',
    looks: (text) => /^(?:search\s+)?(?:index|sourcetype|source)\s*=/i.test(text),
  },
  {
    name: 'KQL',
    looks: (text) =>
      /^[A-Za-z_]\w*\s*\|/.test(text) &&
      /\|\s*(?:summarize|project|project-away|take|distinct|order\s+by|sort\s+by|mv-expand|render|top\s+\d+\s+by)\b/.test(
        text,
      ),
    toOql: kqlToOql,
  },
  { name: 'Lucene', looks: (text) => /^[A-Za-z_@][\w.@]*:(?:"|[\w*(>])/.test(text) },
];
/** Longer texts are recognized, but not translated. */
const LONGEST = 4_000;

/**
 * Recognizes a text in another query language, and translates common forms to OQL.
 * @param normalForm returns the normal form of a text, or undefined if it is not OQL: then the translation is not shown
 */
export function foreignText(text: string, normalForm: (oql: string) => string | undefined): Finding | undefined {
  const trimmed = text.trim();
  const first = /^[a-z]+/.exec(trimmed)?.[0] ?? '';
  const isOurs = SOURCE_WORDS.has(first) && /^\s*\|/.test(trimmed.slice(first.length));
  if (isOurs) return undefined;
  const language = LANGUAGES.find(({ looks }) => looks(trimmed));
  if (!language) return undefined;
  const made = trimmed.length > LONGEST ? undefined : language.toOql?.(trimmed);
  const oql = made === undefined ? undefined : normalForm(made);
  const start = text.indexOf(trimmed);
  const range = { start, end: start + trimmed.length };
  const says = `This looks like ${language.name}, but queries here are OQL.`;
  if (oql === undefined) {
    const message = `${says} A query starts with a source, followed by stages, as in \`logs | where severity >= error | count by service.name\`: see "Coming from another language" in docs/oql.md.`;
    return { name: 'FOREIGN_LANGUAGE', message, range };
  }
  const message = `${says} In OQL it is \`${oql}\`.`;
  return { name: 'FOREIGN_LANGUAGE', message, range, suggestion: replaceWith(range, oql) };
}
