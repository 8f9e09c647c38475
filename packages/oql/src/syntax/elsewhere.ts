import { type Finding, replaceWith } from '../diagnostics/diagnostic.ts';
import type { SyntaxFailure } from './errors.ts';
import { CALL, type Form, form, NAME } from './form.ts';
import { EXPRESSION_FORMS } from './forms-of-expressions.ts';

/** The aggregates that people write as stages of their own; the functions themselves are not part of the syntax. */
export const AGGREGATE_WORDS: ReadonlySet<string> = new Set([
  ...['sum', 'avg', 'min', 'max', 'count', 'count_distinct', 'ratio', 'quantile', 'median', 'stddev', 'variance'],
  ...['p50', 'p75', 'p90', 'p95', 'p99', 'p999', 'first', 'last', 'any', 'values', 'list', 'histogram'],
]);

const FORMS: readonly Form[] = [
  ...EXPRESSION_FORMS,
  form(
    String.raw`\b(sum|avg|min|max|count)\s+(by|without)\s*\(([^()|]+)\)\s*\(\s*(rate|increase|delta|irate)\s*\(\s*(\d+\w+)\s*\)\s*\)`,
    'a range function is a stage before the aggregate',
    ([, fn, word, list, range, time]) => `${range} ${time} | ${fn} ${word} ${list}`,
  ),
  form(
    String.raw`\bstats\s+(?:(${NAME})\s*=\s*)?count(?:\(\))?\s+where\s+([^|]+?)(?=\s+by\b|\s*\||\s*$)`,
    'what is counted is in the brackets',
    ([, name, condition]) => `stats ${name ?? 'n'}=count(${condition})`,
  ),
  form(
    String.raw`\bcount\s*\(\s*\*?\s*\)\s+filter\s*\(\s*where\s+([^()|]+)\)`,
    'what is counted is in the brackets',
    ([, condition]) => `count(${condition})`,
  ),
  form(
    String.raw`\bcount\s*\(\s*distinct\s+(${NAME})\s*\)`,
    'distinct values are counted with `count_distinct`',
    ([, field]) => `count_distinct(${field})`,
  ),
  form(String.raw`(?<=\|\s*)fields\s*\*`, 'all fields are returned without `fields`'),
  form(
    String.raw`\bcompare\s+(?:to\s+)?(?:last|previous)\s+(hour|day|week|month|year)`,
    'the distance in time is a duration',
    ([, unit]) => `compare 1${unit === 'month' ? 'mo' : unit?.[0]?.toLowerCase()}`,
  ),
  form(String.raw`,\s*by\b`, 'no comma stands before `by`', () => ' by'),
  form(String.raw`\blimit\s*\(\s*(\d+)\s*\)`, 'the number has no brackets', ([, count]) => `limit ${count}`),
  form(
    String.raw`\blimit\s+(\d+)\s+by\s+(${NAME})`,
    'the first rows of each group are found by their place',
    ([, count, field]) => `extend place = rank(time) within ${field} | where place <= ${count}`,
  ),
  form(
    String.raw`(\|\s*)(?:first|last|tail)\s+(\d+)\b`,
    'the newest rows come first: `limit`',
    ([, bar, count]) => `${bar}limit ${count}`,
  ),
  form(String.raw`\bsort\s+desc\s+(${NAME})`, 'descending order is `-field`', ([, field]) => `sort -${field}`),
  form(
    String.raw`\b(?:fields|project|select)\s+(${NAME})\s+as\s+(${NAME})`,
    'another name is made with `extend`',
    ([, field, name]) => `extend ${name} = ${field} | fields ${name}`,
  ),
  form(
    String.raw`\b(?:fields|project|select)\s+(${NAME})\s*=\s*(${NAME})`,
    'another name is made with `extend`',
    ([, name, field]) => `extend ${name} = ${field} | fields ${name}`,
  ),
  form(
    String.raw`\brename\s+(${NAME})\s+as\s+(${NAME})`,
    'another name is made with `extend`',
    ([, field, name]) => `extend ${name} = ${field}`,
  ),
  form(
    String.raw`\brename\s+(${NAME})\s*=\s*(${NAME})`,
    'another name is made with `extend`',
    ([, name, field]) => `extend ${name} = ${field}`,
  ),
  form(
    String.raw`\bsearch\s+("[^"]*")`,
    'any text of a row is searched in `where`',
    ([, text]) => `where any contains ${text}`,
  ),
  form(
    String.raw`\btimechart\s+(?!span\b)(\w+)(?:\(([^()|]*)\))?(?:\s+by\s+(${NAME}))?`,
    'a chart over time is `stats` by `bucket`',
    ([, fn, of, field]) => `stats ${fn}(${of ?? ''}) by bucket(auto)${field ? `, ${field}` : ''}`,
  ),
  form(
    String.raw`\bchart\s+(\w+)(?:\(([^()|]*)\))?\s+(?:by|over)\s+(${NAME})`,
    'groups are made with `stats`',
    ([, fn, of, field]) => `stats ${fn}(${of ?? ''}) by ${field}`,
  ),
  form(
    String.raw`\b(?:bin|bucket)\s+_?time\s+(?:span\s*=\s*)?(\d+\w+)`,
    'buckets of time are a key, as in `stats n=count() by bucket(5m)`',
  ),
  form(String.raw`\bunwrap\b[^|]*`, 'an aggregate names its field, as in `stats sum(bytes_sent) by bucket(5m)`'),
  form(String.raw`\blabel_format\b[^|]*`, 'a column is added with `extend name = EXPRESSION`'),
  form(
    String.raw`\b(?:mv_expand|mvexpand|explode|unnest)\b[^|]*`,
    'lists are searched with `has`, and read by index, as in `tags[0]`',
  ),
  form(
    String.raw`\b(?:dissect|grok)\b[^|]*`,
    'parts of a text are extracted with `parse body pattern "…"` or `regex_extract(body, "…")`',
  ),
  form(String.raw`\b(?:lookup|enrich)\b[^|]*`, 'rows of another source are added with `join logs on trace_id as l`'),
  form(String.raw`(${CALL})\s+as\s+(${NAME})`, 'a name comes before `=`', ([, call, name]) => `${name}=${call}`),
  form(
    String.raw`\b(count|sum|avg|min|max)\s+as\s+(${NAME})`,
    'a name comes before `=`',
    ([, fn, name]) => `${name}=${fn}()`,
  ),
  form(String.raw`\bgroup\s+by\b`, 'groups are written `by`', () => 'by'),
  form(String.raw`\bhaving\b`, 'conditions on groups are a stage of their own', () => '| where'),
  form(
    String.raw`\bbetween\s+(\S+)\s+and\s+(\S+)`,
    '`between` joins its bounds with `..`',
    ([, low, high]) => `between ${low} .. ${high}`,
  ),
  form(
    String.raw`\b(order|sort)\s+by\s+(${NAME})\s+desc\b`,
    'descending order is `-field`',
    ([, , field]) => `sort -${field}`,
  ),
  form(String.raw`\b(order|sort)\s+by\b`, 'rows are ordered with `sort`', () => 'sort'),
  form(String.raw`\bdedup\s+by\b`, '`dedup` names its fields', () => 'dedup'),
  form(String.raw`\bdedup\s+(${NAME})\s+keep\s+\S+`, '`dedup` keeps the first row: `sort` the rows before it'),
  form(
    String.raw`\b(by|within|without)\s*\(([^()|]+)\)`,
    'a list of fields has no brackets',
    ([, word, list]) => `${word} ${list}`,
  ),
  form(
    String.raw`(?<=[^|\s])\s+(?:every|step)\s+(\d+\w+)`,
    'buckets of time are a key',
    ([, width]) => `, bucket(${width})`,
  ),
  form(
    String.raw`\bby\s+([^|]*?)\s+over\s+(\d+\w+)`,
    'buckets of time are a key',
    ([, keys, width]) => `by ${keys}, bucket(${width})`,
  ),
  form(String.raw`\bbucket\s+(\d+\w+)`, 'the width is in brackets', ([, width]) => `bucket(${width})`),
  form(
    String.raw`(\|\s*extend\b[^|]*\))\s+(?:by|over\s*\(\s*partition\s+by)\s+(${NAME})[^|]*`,
    'the groups of functions that read other rows are written `within`',
    ([, head, field]) => `${head} within ${field}`,
  ),
  form(String.raw`\bper\s+(${NAME})`, 'groups are written `within`', ([, field]) => `within ${field}`),
  form(String.raw`\bwithin\s+(${NAME}),\s*${NAME}\s*=`, '`within` stands once, at the end of `extend`'),
  form(
    String.raw`\b(rate|increase|delta|irate|deriv|latest)\s*[([]\s*(\d+\w+)?\s*[)\]]`,
    'its time comes without brackets',
    ([, fn, time]) => `${fn}${time ? ` ${time}` : ''}`,
  ),
  form(
    String.raw`(metric\s+${NAME})\[(\d+\w+)\]`,
    'the time belongs to a range function, such as `rate`',
    ([, metric, time]) => `${metric} | rate ${time}`,
  ),
  form(
    String.raw`(metric\s+${NAME})\{`,
    'labels are compared in `where`, as in `metric x | where service.name == "y"`',
  ),
  form(
    String.raw`(\d)\s+(ns|us|ms|s|m|h|d|w|mo|y)\b`,
    'a unit follows its number without a space',
    ([, digit, unit]) => `${digit}${unit}`,
  ),
  form(String.raw`~\s*(?=["'])`, 'a regular expression is matched with `=~`', () => '=~ '),
  form(String.raw`=~\s*/([^/|]*)/`, 'a regular expression is a text', ([, pattern]) => `=~ ${JSON.stringify(pattern)}`),
  form(String.raw`\bin\s*\[([^\]|]*)\]`, 'a list is in round brackets', ([, list]) => `in (${list})`),
  form(String.raw`!\s*(?=[\p{L}(])`, 'negation is `not`', () => 'not '),
  form(String.raw`\|=\s*("[^"]*")`, 'lines are searched in `where`', ([, text]) => `| where body contains ${text}`),
  form(
    String.raw`(${NAME})\s+has_any\s*\(([^()|]*)\)`,
    'several words are a function',
    ([, field, list]) => `contains_any(${field}, ${list})`,
  ),
  form(
    String.raw`\bcontains\s*\(\s*(${NAME})\s*,\s*("[^"]*")\s*\)`,
    '`contains` stands between its operands',
    ([, field, text]) => `${field} contains ${text}`,
  ),
  form(
    String.raw`(${NAME})\.(contains|startswith)\s*\(\s*("[^"]*")\s*\)`,
    'the operator stands between its operands',
    ([, field, operator, text]) => `${field} ${operator?.toLowerCase()} ${text}`,
  ),
  form(
    String.raw`\bsample\s+(\d+(?:\.\d+)?)%`,
    'a share is from 0 to 1',
    ([, percent]) => `sample ${Number((Number(percent) / 100).toFixed(9))}`,
  ),
  form(
    String.raw`\blimit\s+(\d+)\s*,\s*(\d+)`,
    'rows to skip come after `offset`',
    ([, skipped, count]) => `limit ${count} offset ${skipped}`,
  ),
  form(
    String.raw`\bcount\s+distinct\s+(${NAME})`,
    'distinct values are counted with `count_distinct`',
    ([, field]) => `count_distinct(${field})`,
  ),
  form(
    String.raw`\b(sum|avg|min|max|median|p\d\d|count_distinct)\s+(?!by\b|without\b|ignoring\b|on\b)(${NAME})`,
    'an aggregate has its field in brackets',
    ([, fn, field]) => `${fn}(${field})`,
  ),
  form(
    String.raw`\b(sum|avg|min|max|count)\s+ignoring\s+(${NAME})`,
    'all labels but some are written `without`',
    ([, fn, field]) => `${fn} without ${field}`,
  ),
  form(String.raw`\b(?:stats\s+)(${NAME}):(?=${NAME}\()`, 'a name comes before `=`', ([, name]) => `stats ${name}=`),
  form(
    String.raw`(\bwhere\b[^|]*?),\s*(?=${NAME}\s*(?:==|!=|<|>|=~))`,
    'conditions are joined with `and`',
    ([, before]) => `${before} and `,
  ),
  form(
    String.raw`\btimechart\s+span=(\d+\w+)\s+(\w+)(?:\(\))?\s+by\s+(${NAME})`,
    'a chart over time is `stats` by `bucket`',
    ([, width, fn, field]) => `stats ${fn}() by bucket(${width}), ${field}`,
  ),
  form(
    String.raw`\btop\s+(\d+)\s+(?!by\b)(${NAME})`,
    'the largest groups are counted first',
    ([, count, field]) => `stats n=count() by ${field} | top ${count} by n`,
  ),
  form(
    String.raw`\brare\s+(${NAME})`,
    'the smallest groups are counted first',
    ([, field]) => `stats n=count() by ${field} | top 10 by -n`,
  ),
  form(String.raw`\bfillnull\b[^|]*`, 'a missing value is replaced with `extend x = coalesce(x, 0)`'),
  form(String.raw`\bstreamstats\b[^|]*`, 'running values are functions in `extend`, such as `running_sum(n)`'),
  form(String.raw`\beventstats\b[^|]*`, 'aggregates beside rows are written `extend x = avg(n) over all within a`'),
  form(String.raw`\btransaction\b[^|]*`, 'rows of one key are grouped with `stats … by`, and steps with `funnel`'),
  form(String.raw`\bmake-series\b[^|]*`, 'a time series is `stats … by bucket(5m)` and `fill 0`'),
  form(String.raw`\bmv-expand\b[^|]*`, 'lists are searched with `has`, and read by index, as in `tags[0]`'),
  form(String.raw`\bproject-away\b`, 'columns are removed with `omit`', () => 'omit'),
  form(String.raw`\bline_format\b[^|]*`, 'a text is put together with `extend line = concat(…)`'),
];
/** How far before and after the failure a form may reach. */
const [BEFORE, AFTER] = [200, 300];

/** A form of another language around the failure, and what OQL writes instead. */
export function formElsewhere(text: string, { at }: SyntaxFailure): Finding | undefined {
  const from = Math.max(0, at - BEFORE);
  const near = text.slice(from, at + AFTER);
  for (const { written, oql, hint } of FORMS) {
    const every = new RegExp(written.source, `${written.flags}g`);
    for (let match = every.exec(near); match !== null; match = every.exec(near)) {
      const range = { start: from + match.index, end: from + match.index + match[0].length };
      if (match[0] === '' || range.start > at) break;
      // The failure is in the form, or right after its first word.
      if (text.slice(range.end, at).trim() !== '' || isQuoted(text, range.start)) continue;
      const replacement = oql?.(match);
      const message = `\`${match[0].trim()}\` does not fit here: ${hint}.`;
      if (replacement === undefined) return { name: 'UNEXPECTED', message, range };
      return { name: 'UNEXPECTED', message, range, suggestion: replaceWith(range, replacement) };
    }
  }
  return undefined;
}

/** Whether a place is inside of a quoted text. */
function isQuoted(text: string, at: number): boolean {
  return (text.slice(0, at).match(/"/g)?.length ?? 0) % 2 === 1;
}
