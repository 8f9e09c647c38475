import { LIMITS } from '../syntax/guard.ts';

/** A text of the largest size: as many pieces as fit between a head and a tail. */
function filled(head: string, tail: string, separator: string, piece: (i: number) => string, most = Infinity): string {
  const room = LIMITS.characters - head.length - tail.length;
  const pieces: string[] = [];
  for (let i = 0, length = 0; i < most; i++) {
    const next = piece(i);
    length += next.length + separator.length;
    if (length > room) break;
    pieces.push(next);
  }
  return head + pieces.join(separator) + tail;
}

const repeated = (text: string, times: number) => text.repeat(times);

/** Texts of an allowed size that demand as much work as possible, by the construct that they repeat. */
export const WORST_TEXTS: Readonly<Record<string, string>> = {
  'columns of long names': filled('logs | extend ', '', ', ', (i) => `c${i}${repeated('x', 110)} = body`, 480),
  'columns of attributes': filled(
    'logs | extend ',
    '',
    ', ',
    (i) => `c${i} = concat(attr.a${i}, resource.b${i}, d${i})`,
    480,
  ),
  'columns made of the one before': filled(
    'logs | extend c0 = length(body), ',
    '',
    ', ',
    (i) => `c${i + 1} = c${i} + c${i}`,
    480,
  ),
  'columns in stages': filled(
    'logs | ',
    '',
    ' | ',
    (i) => `extend ${Array.from({ length: 7 }, (_, n) => `c${i}_${n} = attr.x${i}_${n} + 1`).join(', ')}`,
    63,
  ),
  'texts that double': filled('logs | extend c0 = body, ', '', ', ', (i) => `c${i + 1} = concat(c${i}, c${i})`, 480),
  'fields of attributes': filled('logs | fields ', '', ', ', (i) => `attr.a${i}.${repeated('b', 100)}`, 500),
  'conditions joined by or': filled('logs | where ', '', ' or ', (i) => `a${i} == ${i}`),
  'conditions joined by and': filled('spans | where ', '', ' and ', (i) => `a${i} != b${i}`),
  'comparisons of attributes': filled('spans | where ', '', ' and ', (i) => `a < b${i}`),
  'a list of numbers': filled('logs | where a in (', ')', ',', (i) => String(i), 4_999),
  'a list of texts': filled('logs | where a in (', ')', ',', (i) => `"t${i}"`, 4_999),
  'a list of fields': filled('logs | where a in (', ')', ',', (i) => `b${i}`, 4_999),
  'a list of severities': filled('logs | where severity in (', ')', ',', () => 'warn', 4_999),
  sums: filled('spans | extend x = ', '', ' + ', () => 'duration', 1_000),
  'sums in brackets': `spans | extend x = ${repeated('(', 99)}duration${repeated(' + duration)', 99)}`,
  'nested calls': `logs | extend x = ${repeated('concat(attr.a, ', 98)}body${repeated(')', 98)}`,
  'calls of many arguments': filled('logs | extend x = concat(', ')', ', ', (i) => `attr.a${i}`, 4_999),
  cases: filled('logs | extend x = case(', ', 0)', ', ', (i) => `a${i} == ${i}, ${i}`, 2_000),
  aggregates: filled('spans | stats ', ' by service.name', ', ', (i) => `q${i} = p99(duration)`, 499),
  'aggregates of attributes': filled('spans | stats ', ' by service.name', ', ', (i) => `q${i} = max(attr.a${i})`, 499),
  keys: filled('spans | stats n=count() by ', '', ', ', (i) => `k${i}=attr.a${i}`, 499),
  joins: filled('spans | ', '', ' | ', (i) => `join logs on trace_id as l${i}`, 31),
  'joins with fields': `${filled('spans | ', '', ' | ', (i) => `join (logs | where a${i} == 1) on trace_id as l${i}`, 31)} | fields ${Array.from({ length: 400 }, (_, i) => `l${i % 31}.f${i}`).join(', ')}`,
  'sub-queries in sub-queries': `logs | where trace_id in (${repeated('spans | where trace_id in (', 8)}spans | fields trace_id${repeated(') | fields trace_id', 8)})`,
  'sub-queries beside each other': filled(
    'logs | where ',
    '',
    ' and ',
    (i) => `trace_id in (spans | where a${i} == 1 | fields trace_id)`,
    31,
  ),
  filters: filled('logs | ', '', ' | ', (i) => `where a${i} == ${i} or b${i} has "x"`, 63),
  'filters on a join': `spans | join logs on trace_id as l | ${filled('', '', ' | ', (i) => `where l.a${i} == ${i}`, 60).slice(0, 20_000)}`,
  unions: filled(
    'logs | fields time | ',
    '',
    ' | ',
    (i) => `union (spans | extend c${i} = 1 | fields time, c${i})`,
    31,
  ),
  windows: filled(
    'logs | stats n=count() by bucket(1m) | extend ',
    '',
    ', ',
    (i) => `w${i} = avg(n) over ${i + 1} buckets`,
    480,
  ),
  'windows on windows': filled(
    'logs | stats c0=count() by bucket(1m) | extend ',
    '',
    ', ',
    (i) => `c${i + 1} = lag(c${i})`,
    480,
  ),
  'patterns of spans': filled('spans | match ', '', ' >> ', (i) => `a${i}{b${i} == ${i}}`, 400),
  'a funnel': filled('logs | funnel by user.id within 1h ', '', ' -> ', (i) => `{a${i} == ${i}}`, 16),
  'histogram quantiles': filled(
    'metric x | increase | stats ',
    ' by bucket(1m)',
    ', ',
    (i) => `q${i} = quantile(value, 0.${String(i + 1).padStart(4, '0')})`,
    480,
  ),
  'shares of histograms': filled(
    'metric x | increase | stats ',
    ' by bucket(1m)',
    ', ',
    (i) => `q${i} = ratio(value <= ${i})`,
    480,
  ),
  'lets that are used again': `${Array.from({ length: 4 }, (_, i) => `let a${i} = (${i === 0 ? 'spans' : `a${i - 1} | join a${i - 1} on trace_id as l${i}`});`).join(' ')} a3`,
  mistakes: filled('logs | ', '', ' | ', (i) => `wher a${i} = 1`, 63),
  'mistakes in one stage': filled('logs | where ', '', ' and ', (i) => `a${i} = = ${i}`),
  'unknown functions': filled('logs | extend ', '', ', ', (i) => `c${i} = functoin${i}(body)`, 480),
  'unknown columns': filled(
    `logs | fields ${Array.from({ length: 400 }, (_, i) => `column_of_a_long_name_${i}`).join(', ')} | fields `,
    '',
    ', ',
    (i) => `colunm_of_a_long_name_${i}`,
    500,
  ),
  words: filled('', '', ' ', () => 'logs'),
  'brackets that never close': filled('logs | where ', '', '', () => '(', 100),
  'an open text': `logs | where body has "${repeated('x', 60_000)}`,
  comments: filled('logs ', '', '', () => '/**/'),
  negations: `logs | where ${repeated('not (', 98)}true${repeated(')', 98)}`,
};
