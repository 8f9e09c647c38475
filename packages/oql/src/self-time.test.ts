import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { FIXTURE_TABLES, NOW, SCOPE, type SpanRow, WINDOW } from './testing/fixture.ts';
import { NEIGHBOURS, rows, START, TENANT } from './testing/world.ts';

/** A span of a small trace, in nanoseconds; `parent` is the number of a span, null, or the number of a missing span. */
interface Small {
  readonly begin: number;
  readonly length: number;
  readonly parent: number | null;
}

const SPANS_OF_TRACE = 12;
const trees: readonly (readonly Small[])[] = fc.sample(
  fc.array(
    fc.record({
      begin: fc.integer({ min: 0, max: 30 }),
      length: fc.integer({ min: 0, max: 25 }),
      // Few parents, so that siblings overlap; no span has the last number. Spans may be parents of each other, or of themselves.
      parent: fc.option(fc.oneof(fc.nat(2), fc.nat(SPANS_OF_TRACE)), { nil: null }),
    }),
    { minLength: 1, maxLength: SPANS_OF_TRACE },
  ),
  { seed: 20_261_122, numRuns: 250 },
);

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const at = START + 60_000_000_000n;
const TEN_MINUTES = 600_000_000_000n;

function row(trace: number, number: number, { begin, length, parent }: Small, of: Partial<SpanRow> = {}): SpanRow {
  return {
    ...TENANT,
    time: at + BigInt(begin),
    duration: length,
    trace_id: hex(trace, 32),
    // The same ids in each trace: a child belongs only to a span of its own trace.
    span_id: hex(number + 1, 16),
    parent_span_id: parent === null ? '' : hex(parent + 1, 16),
    service: number % 2 === 0 ? 'even' : 'odd',
    name: 'small',
    kind: 'internal',
    status: 'unset',
    weight: 1,
    resource: {},
    strings: {},
    ints: {},
    floats: {},
    bools: {},
    jsons: {},
    events: [],
    link: null,
    ...of,
  };
}

const small = trees.flatMap((tree, i) => tree.map((span, number) => row(i + 1, number, span)));
/** Children of the first spans, sent by another tenant with the same ids. */
const foreign = NEIGHBOURS.flatMap((tenant) =>
  trees.map((_, i) => row(i + 1, 99, { begin: 0, length: 60, parent: 0 }, { ...tenant, service: 'canary' })),
);

const edge = WINDOW.toNs - 10n;
const edges: readonly SpanRow[] = [
  row(1001, 0, { begin: 0, length: 100, parent: null }, { time: edge, name: 'over the end' }),
  row(1001, 1, { begin: 0, length: 30, parent: 0 }, { time: edge + 20n, name: 'after the end' }),
  row(1002, 0, { begin: 0, length: 10 + Number(TEN_MINUTES), parent: null }, { time: edge, name: 'as long as seen' }),
  row(1003, 0, { begin: 0, length: 11 + Number(TEN_MINUTES), parent: null }, { time: edge, name: 'longer than seen' }),
  row(1003, 1, { begin: 0, length: 100, parent: 0 }, { time: edge + TEN_MINUTES + 6n, name: 'much later' }),
  row(
    1004,
    0,
    { begin: 0, length: 100, parent: null },
    { name: 'eventful', events: [{ time: at, name: 'happened', attributes: {} }] },
  ),
  row(1004, 1, { begin: 10, length: 20, parent: 0 }, { name: 'below' }),
  // Sent twice.
  row(1004, 1, { begin: 10, length: 20, parent: 0 }, { name: 'below' }),
];

let engine: Engine;
beforeAll(async () => {
  const spans = [...small, ...foreign, ...edges].map((span) => ({
    ...span,
    events: span.events.map((event) => [String(event.time), event.name, event.attributes]),
    link: ['', ''],
  }));
  engine = await startEngine([{ insert: FIXTURE_TABLES[0]?.insert ?? '', rows: rows(spans) }]);
});
afterAll(() => engine.stop());

/** The nanoseconds of a span that are in none of its children. */
function reference(tree: readonly Small[], number: number): number {
  const span = tree[number];
  const children = tree.filter((child, i) => child.parent === number && i !== number);
  let self = 0;
  for (let t = span?.begin ?? 0; t < (span ? span.begin + span.length : 0); t++)
    if (!children.some(({ begin, length }) => begin <= t && t < begin + length)) self++;
  return self;
}

const expected = trees.flatMap((tree, i) =>
  tree.map((_, number) => [hex(i + 1, 32), hex(number + 1, 16), reference(tree, number)] as const),
);

test('computes self time as the part of a span in which none of its children ran, for every tree', async () => {
  expect(expected.some(([, , self]) => self > 0)).toBe(true);
  const answer = await engine.ask(
    'spans | where name == "small" | sort trace_id, span_id | fields trace_id, span_id, self_time',
  );
  expect(answer.rows).toEqual(expected);
});

test('subtracts all children from self time when a condition excludes some', async () => {
  const answer = await engine.ask(
    'spans | where service.name == "even" and name == "small" | where self_time > 3ns | sort trace_id, span_id | fields trace_id, span_id, self_time',
  );
  const even = expected.filter(([, span, self]) => Number.parseInt(span, 16) % 2 === 1 && self > 3);
  expect(even.length).toBeGreaterThan(100);
  expect(answer.rows).toEqual(even);
});

test('includes children that begin after the window, however long their parent runs', async () => {
  const answer = await engine.ask(
    'spans | where name in ("as long as seen", "longer than seen", "over the end") | fields name, self_time | sort name',
  );
  expect(answer.rows).toEqual([
    ['as long as seen', 10 + Number(TEN_MINUTES)],
    ['longer than seen', 11 + Number(TEN_MINUTES) - 5],
    ['over the end', 70],
  ]);
});

const total = expected.reduce((sum, [, , self]) => sum + self, 0);
test.each([
  ['spans | where name == "small" | stats s=sum(self_time)', [[total]]],
  ['events | where name == "happened" | stats s=sum(span.self_time)', [[80]]],
  ['events | where span.self_time > 79ns | stats n=count() by span.name', [['eventful', 1]]],
  [
    'spans | match a{name == "eventful"} > b{true} | fields a.self_time, b.self_time',
    [
      [80, 20],
      [80, 20],
    ],
  ],
  ['spans | match a{self_time == 80ns} > b{name == "below"} | count', [[2]]],
  ['traces | where any(name == "eventful") | stats s=max(duration) | extend x = 1 | fields s', [[100]]],
  ['traces | where max(self_time) == 80ns and any(name == "eventful") | count', [[1]]],
  ['spans | where self_time == (spans | where name == "eventful" | stats max(self_time)) | count', [[1]]],
  ['spans | where trace_id in (spans | where self_time == 80ns | fields trace_id) | stats s=sum(self_time)', [[120]]],
  [
    'spans | where name == "below" | fields name, self_time | union (spans | where name == "eventful" | fields name, self_time) | stats s=sum(self_time)',
    [[120]],
  ],
  [
    'spans | where name == "below" | join (spans | where self_time == 80ns) on trace_id as p | stats s=sum(p.self_time)',
    [[160]],
  ],
  [
    'spans | where name == "eventful" | extend other = duration - self_time | sort -other | limit 1 | fields other',
    [[20]],
  ],
  ['spans | where name == "eventful" | stats s=sum(self_time) by name | extend n = 1 | fields s, n', [[80, 1]]],
  ['spans | where name == "eventful" | dedup trace_id | where self_time == 80ns | fields name', [['eventful']]],
  [
    'let own = (spans | where name == "eventful" | stats m=max(self_time)); spans | where name == "below" | extend part = self_time / (own | stats max(m)) | limit 1 | fields part',
    [[0.25]],
  ],
] as const)('%s', async (query, answer) => {
  expect((await engine.ask(query)).rows).toEqual(answer);
});

test('does not look up children when the field is named but not read', () => {
  const looksUp = (query: string) => {
    const compiled = compile(query, { scope: SCOPE, window: WINDOW, limit: 10, nowNs: NOW });
    return compiled.ok ? compiled.sql.includes('FROM trace_index') : compiled.diagnostics;
  };
  expect(looksUp('spans | fields name, self_time')).toBe(true);
  expect(looksUp('spans | fields name, self_time | omit self_time')).toBe(false);
  expect(looksUp('spans | where duration > 1ms')).toBe(false);
});
