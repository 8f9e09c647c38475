export const many = (count: number, text: (i: number) => string) => Array.from({ length: count }, (_, i) => text(i));

/** Queries that no machine finishes: a limit ends them. */
export const endless: readonly (readonly [name: string, query: string])[] = [
  ['a join of everything with everything', 'logs | join logs on service.name as l | stats n=count() by l.body'],
  ['thrice', 'logs | join logs on service.name as l | join logs on service.name as m | stats n=count()'],
  ['all lines beside each line', 'logs | join logs on service.name as l | stats v=values(l.body) by body'],
  ['groups by everything', 'logs | stats n=count(), v=list(body) by body, time, trace_id, span_id, attributes'],
  ['a slow expression', 'logs | where body =~ "(a+)+$" or body =~ "(.*)*x" | count'],
];

/** Queries with answers of many megabytes, and the status that they have. */
export const large: readonly (readonly [name: string, query: string, status: number])[] = [
  [
    '244 characters that double a text twelve times',
    `logs | limit 120 | extend x0=body, ${many(12, (i) => `x${i + 1}=concat(x${i},x${i},x${i})`).join(', ')}`,
    422,
  ],
  [
    'a long text in each row',
    'logs | extend x=concat(body, replace(body, "i", "0123456789012345678901234567890123456789")) | extend y=concat(x,x,x,x), z=concat(x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x,x)',
    422,
  ],
  ['many rows', 'logs', 200],
];

/** As many parts as fit into 512 characters. */
function filled(head: string, part: (i: number) => string, separator: string): string {
  let text = head + part(0);
  for (let i = 1; text.length + separator.length + part(i).length <= 512; i++) text += separator + part(i);
  return text;
}

/** The texts of a length that cost most to compile, of each kind. */
export const worst: readonly (readonly [name: string, query: string])[] = [
  [
    '480 columns of long names',
    `logs | extend ${many(480, (i) => `c${i}=body.attribute_${i}_${'y'.repeat(90)}`).join(', ')}`,
  ],
  ['480 aggregates', `logs | stats ${many(480, (i) => `c${i}=p99(attribute_${i})`).join(', ')} by service.name`],
  ['comparisons of attributes', `spans | where ${many(400, (i) => `a${i}>b${i}`).join(' and ')}`],
  ['conditions of many kinds', `spans | where ${many(1_500, (i) => `a${i}==${i}`).join(' or ')}`],
  ['texts that double', `logs | extend x0=body, ${many(60, (i) => `x${i + 1}=concat(x${i},x${i})`).join(', ')}`],
  [
    '64 stages of attributes',
    `spans | ${many(60, (i) => `extend ${many(8, (j) => `v${i}_${j}=a${i}_${j}+b${i}_${j}`).join(', ')}`).join(' | ')}`,
  ],
  [
    'joins',
    `logs${many(10, (i) => ` | join (logs | where ${many(20, (j) => `a${i}_${j}==${j}`).join(' and ')}) on trace_id as j${i}`).join('')} | count`,
  ],
  // As long as a text may be that is compiled at once.
  ['short: comparisons', filled('spans | where ', (i) => `a${i}>b${i}`, ' and ')],
  ['short: conditions', filled('spans | where ', (i) => `a${i}==b${i}`, ' or ')],
  ['short: a sum', filled('spans | extend x=', (i) => `a${i}`, '+')],
  ['short: aggregates', filled('spans | stats ', (i) => `c${i}=p99(a${i})`, ',')],
  ['short: groups', filled('spans | stats n=count() by ', (i) => `a${i}`, ',')],
  ['short: stages', filled('spans | ', (i) => `extend a${i}=b+c`, ' | ')],
];
