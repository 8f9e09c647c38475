/** Every keyword of the grammar. All are contextual: where a keyword is not valid, the word is an ordinary name. */
export const KEYWORDS: readonly string[] = [
  ...['let', 'from', 'to', 'now'],
  ...['logs', 'spans', 'traces', 'events', 'links', 'profiles', 'metric', 'metrics', 'exemplars', 'flags', 'changes'],
  ...['where', 'match', 'extend', 'fields', 'omit', 'dedup', 'parse', 'patterns', 'rate', 'increase', 'delta', 'stats'],
  ...['promrate', 'promincrease', 'irate', 'deriv', 'predict', 'latest'],
  ...['fill', 'compare', 'contrast', 'join', 'sort', 'top', 'limit', 'sample', 'union', 'funnel', 'flame'],
  ...['context', 'concurrency', 'before', 'after'],
  ...[
    'json',
    'logfmt',
    'regex',
    'prev',
    'linear',
    'left',
    'anti',
    'on',
    'within',
    'as',
    'by',
    'other',
    'offset',
    'diff',
  ],
  ...['over', 'all', 'buckets', 'rows', 'without', 'for'],
  ...['and', 'or', 'not', 'in', 'has', 'contains', 'startswith', 'exists', 'between', 'true', 'false', 'null'],
];

/** The words that a source begins with. */
export const SOURCE_WORDS: ReadonlySet<string> = new Set([
  ...['logs', 'spans', 'traces', 'events', 'profiles', 'metric', 'metrics', 'exemplars', 'flags', 'changes', 'fields'],
]);

/** The name of a keyword's token in the grammar: `where` is `kwWhere`. */
export function keywordToken(keyword: string): string {
  return `kw${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`;
}
