import fc from 'fast-check';
import { FIXTURE_TABLES } from '../fixture.ts';
import { type FixtureTable, rows, START, TENANT } from '../world.ts';
import { type Cell, type Cells, cellOf } from './cells.ts';

/** A row of a source: its fields and attributes by name, absent ones left out. */
export interface Row {
  readonly cells: Cells;
  readonly weight: number;
  readonly time: bigint;
}

export interface World {
  readonly spans: readonly Row[];
  readonly logs: readonly Row[];
  readonly tables: readonly FixtureTable[];
}

const TEXTS = ['', 'a', 'B', 'ab c', 'Äb', 'äB', '日本', 'a.b*c', '50%', "it's", 'x\\y', '"q"', '7', '7.5', ' pad '];
const text = fc.constantFrom(...TEXTS);
const int = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(-3n, 12n) },
  { weight: 1, arbitrary: fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 62n, -(2n ** 63n)) },
);
const float = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(-2.5, -1, 0, 0.5, 1, 2, 7, 7.5, 1e-3) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300) },
);
const rare = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 3 });

/** `s`, `i`, `f` and `b` have one type, and `a` has several. Each is missing in some rows. */
const ofSpan = fc.record({
  s: rare(text),
  i: rare(int),
  f: rare(float),
  b: rare(fc.boolean()),
  a: rare(fc.oneof(text, int, float, fc.boolean())),
  name: fc.constantFrom('get', 'Put', 'get all'),
  duration: fc.bigInt(0n, 5n),
  weight: fc.constantFrom(1, 1, 2, 10),
});
const ofLog = fc.record({ s: rare(text), i: rare(int), a: rare(fc.oneof(text, int)), body: text });

function present(of: Record<string, Cell | undefined>): ReadonlyMap<string, Cell> {
  return new Map(Object.entries(of).flatMap(([name, cell]) => (cell === undefined ? [] : [[name, cell] as const])));
}

function stored({ cells }: Row) {
  const of = <T extends Cell>(is: (cell: Cell) => cell is T, render: (cell: T) => unknown = (cell) => cell) =>
    Object.fromEntries(
      ['s', 'i', 'f', 'b', 'a'].flatMap((name) => {
        const cell = cellOf(cells, name);
        return is(cell) ? [[name, render(cell)] as const] : [];
      }),
    );
  const strings = of((cell): cell is string => typeof cell === 'string');
  const ints = of((cell): cell is bigint => typeof cell === 'bigint', String);
  const floats = of(
    (cell): cell is number => typeof cell === 'number',
    (cell) => (Number.isFinite(cell) ? cell : String(cell).replace('Infinity', 'inf').toLowerCase()),
  );
  const bools = of((cell): cell is boolean => typeof cell === 'boolean');
  return { strings, ints, floats, bools };
}

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');

export function worldOf(seed: number, size: number): World {
  const at = (i: number) => START + BigInt(i * 7) * 1_000_000_000n;
  const spans = fc
    .sample(ofSpan, { seed, numRuns: size })
    .map(({ weight, ...cells }, i): Row => ({ cells: present(cells), weight, time: at(i) }));
  const logs = fc
    .sample(ofLog, { seed: seed + 1, numRuns: size })
    .map((cells, i): Row => ({ cells: present(cells), weight: 1, time: at(i) }));
  const common = (row: Row, i: number) => ({
    ...TENANT,
    time: row.time,
    trace_id: hex(i + 1, 32),
    span_id: hex(i + 1, 16),
    service: 'shop',
    resource: {},
    ...stored(row),
  });
  const spanRows = spans.map((row, i) => ({
    ...common(row, i),
    duration: String(cellOf(row.cells, 'duration')),
    name: row.cells.get('name'),
    parent_span_id: '',
    kind: 'server',
    status: 'ok',
    weight: row.weight,
    jsons: {},
    events: [],
    link: ['', ''],
  }));
  const logRows = logs.map((row, i) => ({ ...common(row, i), severity: 9, body: row.cells.get('body') }));
  return {
    spans,
    logs,
    tables: [
      { insert: FIXTURE_TABLES[0]?.insert ?? '', rows: rows(spanRows) },
      { insert: FIXTURE_TABLES[1]?.insert ?? '', rows: rows(logRows) },
    ],
  };
}
