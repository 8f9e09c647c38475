/** The words that begin a stage. */
export const STAGE_KEYWORDS: readonly string[] = [
  ...[
    'where',
    'stats',
    'extend',
    'fields',
    'omit',
    'dedup',
    'sort',
    'limit',
    'top',
    'fill',
    'match',
    'parse',
    'patterns',
  ],
  ...[
    'rate',
    'increase',
    'delta',
    'promrate',
    'promincrease',
    'irate',
    'deriv',
    'predict',
    'latest',
    'offset',
    'compare',
    'contrast',
    'join',
    'sample',
    'union',
    'funnel',
    'flame',
  ],
];

/** The words that begin a query. */
export const SOURCE_KEYWORDS: readonly string[] = [
  ...['logs', 'spans', 'traces', 'events', 'links', 'metric', 'exemplars', 'profiles', 'flags', 'metrics', 'fields'],
];
