import fc from 'fast-check';
import { printString } from '../syntax/literals.ts';

/** Texts that have caused injections in other query languages. */
const NASTY = [
  `' OR 1=1 --`,
  `" or true or "`,
  `'; DROP TABLE spans; --`,
  `\\' UNION ALL SELECT * FROM spans --`,
  '{p1:String}',
  '$fixture$',
  '`workspace`',
  '/* */ workspace = 8',
  'c1',
  'r1',
  'canary',
  '\u0000\n\t"\\',
  ') OR workspace != 7 OR (1 = 1',
];

/** A text that a user could write anywhere; it has a marker, so a test can find it where it must not appear. */
export const userText = fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 12 })).map((text) => `zq${text}qz`);

const quoted = (segment: string) => `\`${segment.replace(/[`\n\r\u2028\u2029]/g, '')}\``;
/** Attributes with the same names as the tenant's columns, and others. */
const attribute = fc.oneof(
  fc.constantFrom(
    'workspace',
    'project',
    'environment',
    'attr.workspace',
    'resource.workspace',
    'http.route',
    'user.id',
    'c1',
    'r1',
    'p1',
  ),
  userText.map(quoted),
  fc
    .tuple(fc.constantFrom('attr', 'resource', 'span', 'log'), userText)
    .map(([scope, name]) => `${scope}.${quoted(name)}`),
);
const textField = fc.oneof(fc.constantFrom('service.name', 'scope.name', 'trace_id', 'span_id'), attribute);
const number = fc.oneof(
  fc.integer({ min: 0, max: 1000 }).map(String),
  fc.double({ min: 0, max: 10, noNaN: true }).map((n) => n.toFixed(3)),
);
const literal = userText.map(printString);

function comparison(source: string): fc.Arbitrary<string> {
  const choices = [
    fc.tuple(textField, fc.constantFrom('==', '!=', '<', '>='), literal).map((parts) => parts.join(' ')),
    fc.tuple(textField, fc.constantFrom('has', 'contains', 'startswith'), literal).map((parts) => parts.join(' ')),
    fc.tuple(attribute, fc.constantFrom('==', '!=', '<', '>='), number).map((parts) => parts.join(' ')),
    fc
      .tuple(textField, fc.array(literal, { minLength: 1, maxLength: 4 }))
      .map(([field, items]) => `${field} in (${items.join(', ')})`),
    attribute.map((field) => `${field} exists`),
    fc.tuple(attribute, number, number).map(([field, low, high]) => `${field} between ${low} .. ${high}`),
    fc.tuple(textField, literal).map(([field, text]) => `lower(${field}) == ${text}`),
    fc.tuple(textField, attribute).map(([a, b]) => `${a} == ${b}`),
  ];
  if (source === 'spans')
    choices.push(
      fc.constantFrom(
        'status == error',
        'kind in (server, client)',
        'duration > 5ms',
        'self_time > 5ms',
        'on_critical_path',
        'critical_path < 5ms',
        'root',
        'duration between 1ms .. 10ms',
      ),
    );
  if (source === 'logs') choices.push(fc.constantFrom('severity >= warn', 'body has "timeout"', 'severity != info'));
  return fc.oneof(...choices);
}

function condition(source: string, depth: number): fc.Arbitrary<string> {
  const plain = comparison(source);
  if (depth <= 0) return plain;
  const inner = condition(source, depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: plain },
    {
      weight: 1,
      arbitrary: fc.tuple(inner, fc.constantFrom('and', 'or'), inner).map(([a, op, b]) => `(${a} ${op} ${b})`),
    },
    { weight: 1, arbitrary: inner.map((a) => `not (${a})`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('trace_id', 'service.name'), pipeline(depth - 1))
        .map(([field, query]) => `${field} in (${query} | fields ${field})`),
    },
  );
}

/** A column name: a plain one, or one that could collide but must not matter. */
const columnName = fc.constantFrom('n', 'workspace', 'project', 'environment', 'time2', 'c1', 'r1', 'spans', 'value');

/** Filtered rows of a source, still with the columns of the signal. */
function pipeline(depth: number): fc.Arbitrary<string> {
  return fc.constantFrom('spans', 'logs').chain((source) =>
    fc
      .array(
        fc.oneof(
          { weight: 3, arbitrary: condition(source, depth).map((predicate) => `where ${predicate}`) },
          {
            weight: 1,
            arbitrary: fc
              .tuple(columnName, fc.oneof(attribute, literal, number))
              .map(([name, value]) => `extend ${name} = ${value}`),
          },
          {
            weight: 1,
            arbitrary: fc.constantFrom('sort -time', 'limit 50', 'dedup service.name', 'sort service.name, -time'),
          },
        ),
        { maxLength: 3 },
      )
      .map((stages) => [source, ...stages].join(' | ')),
  );
}

const aggregates = fc.constantFrom(
  'count()',
  'count_distinct(trace_id)',
  'count(service.name == "x")/window',
  'max(time)',
  'ratio(service.name exists)',
  'values(service.name)',
);
const keys = fc.oneof(attribute, fc.constantFrom('bucket(5m)', 'service.name', 'bucket(auto)'));

const stats = fc.tuple(columnName, aggregates, fc.uniqueArray(keys, { maxLength: 2 })).map(([name, aggregate, by]) => {
  const keyed = by.map((key, i) => `k${i}=${key}`);
  return `stats ${name}=${aggregate}${keyed.length > 0 ? ` by ${keyed.join(', ')}` : ''}`;
});

const spansWhere = condition('spans', 1);
/** Stages that read the same tables again, or other ones. */
const further: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(spansWhere, fc.constantFrom('>>', '>', '~', '->'), spansWhere, attribute)
    .map(
      ([a, operator, b, field]) =>
        `spans | match a{${a}} ${operator} b{${b}} | stats n=count(), v=values(a.service.name) by b.${field}`,
    ),
  fc
    .tuple(pipeline(1), fc.constantFrom('', 'left ', 'anti '), pipeline(1), fc.constantFrom('trace_id', 'service.name'))
    .map(([rows, mode, other, key]) => `${rows} | join ${mode}(${other}) on ${key} within 1h as l | stats n=count()`),
  fc
    .tuple(pipeline(1), pipeline(1))
    .map(([rows, other]) => `${rows} | join left (${other}) on trace_id as l | fields time, l.service.name | limit 20`),
  fc
    .tuple(spansWhere, spansWhere)
    .map(([a, b]) => `traces | where any(${a}) and not none(${b}) | stats n=count() by service.name`),
  fc
    .tuple(spansWhere, stats)
    .map(([a, grouped]) => `spans | where ${a} | ${grouped} | compare 30m`)
    .filter((text) => !text.includes('auto')),
  fc
    .tuple(attribute, pipeline(1))
    .map(([field, rows]) => `profiles cpu | where ${field} exists or trace_id in (${rows} | fields trace_id) | flame`),
  attribute.map((field) => `events | where ${field} exists or name != "x" | count by span.${field}`),
  fc
    .tuple(spansWhere, attribute)
    .map(([predicate, field]) => `spans | where ${predicate} | stats self=sum(self_time) by ${field}, name`),
  attribute.map((field) => `events | where span.self_time > 1ms | count by span.${field}`),
  spansWhere.map((predicate) => `traces | where any(${predicate}) and max(self_time) > 1ms | count`),
  spansWhere.map((predicate) => `spans | contrast (${predicate}) top 5`),
  condition('logs', 1).map((predicate) => `logs | where ${predicate} | patterns`),
  condition('logs', 1).map((predicate) => `logs | where ${predicate} | context 3 before 2 after`),
  fc
    .tuple(spansWhere, attribute)
    .map(([predicate, field]) => `spans | where ${predicate} | concurrency 30s over 2h by ${field} | fill 0`),
  attribute.map((field) => `logs | patterns by ${field} | limit 5`),
  fc
    .tuple(userText, attribute)
    .map(
      ([name, field]) =>
        `metric ${printString(name)} | where ${field} exists | rate 5m | sum by service.name, bucket(10m)`,
    ),
  attribute.map((field) => `metric requests | where ${field} != "x" | count by ${field}`),
  fc
    .tuple(
      fc.constantFrom('requests', 'latency', 'size'),
      fc.constantFrom(
        'increase | sum',
        'rate | max',
        'p99',
        'increase | p50',
        'promrate 5m | sum',
        'promincrease | p50',
      ),
    )
    .map(([name, rest]) => `metric ${name} | ${rest} by service.name`),
  fc
    .tuple(pipeline(1), userText)
    .map(
      ([rows, text]) =>
        `${rows} | extend t = "x" | parse t ${printString(`${text.replace(/[<>]/g, '')} <rest>`)} | count by rest`,
    ),
  fc
    .tuple(pipeline(1), stats)
    .map(([rows, grouped]) => `${rows} | ${grouped} | top 3 by ${grouped.slice(6).split('=')[0]} other`)
    .filter((text) => text.includes(' by k')),
);

/** Values, rows and steps that read tables again, and listings of available data. */
const beside: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(pipeline(1), spansWhere, fc.constantFrom('<', '>=', '=='))
    .map(
      ([rows, a, operator]) => `${rows} | extend n = 1 | where n ${operator} 2 * (spans | where ${a} | stats count())`,
    ),
  fc
    .tuple(pipeline(1), pipeline(1), attribute)
    .map(
      ([rows, other, field]) =>
        `${rows} | fields time, service.name | union (${other} | extend k = ${field} | fields time, k)`,
    ),
  fc
    .tuple(pipeline(1), attribute, spansWhere, spansWhere)
    .map(([rows, field, a, b]) => `${rows} | funnel by ${field} within 10m {${a}} -> second{${b}}`)
    .filter((text) => text.startsWith('spans')),
  fc
    .tuple(fc.constantFrom('logs', 'spans'), literal, fc.constantFrom('has', 'contains', 'startswith'))
    .map(([source, text, operator]) => `${source} | where any ${operator} ${text} or not any has "x" | count`),
  fc
    .tuple(
      pipeline(1),
      attribute,
      fc.constantFrom(
        'avg(n) over 3 buckets',
        'max(n) over 10m',
        'sum(n) over all',
        'p90(n) over 4 rows',
        ...['lag(n)', 'difference(n)', 'running_sum(n)', 'rank(n)', 'share(n)', 'anomaly(n, 10m)'],
      ),
    )
    .map(
      ([rows, field, value]) =>
        `${rows} | stats n=count() by bucket(5m), k=${field} | extend v = ${value} | where v exists`,
    ),
  fc
    .tuple(
      pipeline(1),
      attribute,
      fc.constantFrom(
        'extend v = rank(n), w = max(n) over all within k',
        'extend v = lag(n), w = running_sum(n) within k',
        'top 2 by n within k',
        'top 2 by -n within time other',
      ),
    )
    .map(([rows, field, stage]) => `${rows} | stats n=count() by bucket(5m), k=${field} | ${stage}`),
  fc
    .tuple(
      pipeline(1),
      fc.constantFrom(
        'bucket(1d, "Europe/Berlin") | fill linear',
        'bucket(time, 1w, "America/Denver") | compare 1w',
        'bucket(1mo), service.name | fill 0',
        'bucket(3mo, "Asia/Kolkata") | compare 1y',
        'bucket(1mo, "Europe/Dublin") | extend v = max(n) over 2mo, l = lag(n)',
        'service.name | compare 1mo',
        'service.name | compare 1d "Europe/Dublin"',
      ),
    )
    .map(([rows, keys]) => `${rows} | stats n=count() by ${keys}`),
  fc
    .tuple(userText, attribute)
    .map(([name, field]) => `exemplars ${printString(name)} | where ${field} exists | count by service.name`),
  attribute.map(
    (field) => `exemplars latency | join (spans | where ${field} != "x") on trace_id as s | fields time, s.name`,
  ),
  fc
    .tuple(pipeline(1), attribute)
    .map(([rows, field]) => `${rows} | stats n=count() by bucket(5m), k=${field} | where n > 1 for 15m`)
    .filter((text) => !text.includes('limit')),
  attribute.map((field) => `metric requests | rate 5m | sum by bucket(10m) without ${field}`),
  attribute.map((field) => `spans | histogram(duration, 50ms) by ${field}`),
  literal.map((text) => `metrics | where name startswith ${text} or series > 0 | fields name, services`),
  literal.map((text) => `fields | where name contains ${text} or rows > 0 | union (metrics | fields name)`),
);

/** A query that compiles: any signal and stage, conditions, sub-queries, aliases and names of every kind. */
export const query: fc.Arbitrary<string> = fc.oneof(
  pipeline(2),
  fc.tuple(pipeline(2), stats).map((parts) => parts.join(' | ')),
  fc.tuple(pipeline(1), attribute).map(([rows, field]) => `${rows} | fields time, service.name, ${field}`),
  { weight: 3, arbitrary: further },
  { weight: 2, arbitrary: beside },
);
