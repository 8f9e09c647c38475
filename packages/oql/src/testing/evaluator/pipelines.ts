import fc from 'fast-check';
import { type Cell, canonical, cellOf, inOrder, OPEN, type Result, whole } from './cells.ts';
import { type Column, conditionTerm, type Kind, type Term, termOf } from './terms.ts';
import type { Row, World } from './world.ts';

/** A pipeline as text, and the rows that it must answer, in order. */
export interface Pipeline {
  readonly text: string;
  readonly columns: readonly Column[];
  /** Names that every row of the source has, or that a stage computed; only these may be sorted or kept. */
  readonly of: (world: World) => readonly Row[];
  /** Groups keep no weight and no time. */
  readonly grouped: boolean;
  /** What makes the order of rows total. */
  readonly unique: readonly string[];
  /** Whether rows come in a total order. */
  readonly sorted: boolean;
}

const SOURCES: readonly Pipeline[] = [
  {
    text: 'spans',
    columns: [
      { name: 'name', kind: 'string' },
      ...(['s', 'i', 'f', 'b', 'a'] as const).map((name): Column => ({ name, kind: 'any' })),
    ],
    of: ({ spans }) => newestFirst(spans),
    grouped: false,
    unique: ['time'],
    sorted: true,
  },
  {
    text: 'logs',
    columns: [
      { name: 'body', kind: 'string' },
      ...(['s', 'i', 'a'] as const).map((name): Column => ({ name, kind: 'any' })),
    ],
    of: ({ logs }) => newestFirst(logs),
    grouped: false,
    unique: ['time'],
    sorted: true,
  },
];

function newestFirst(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((a, b) => (a.time < b.time ? 1 : -1));
}

const withCell = (row: Row, name: string, cell: Cell): Row => ({
  ...row,
  cells: new Map([...row.cells, [name, cell]]),
});
const KINDS: readonly Kind[] = ['int', 'float', 'string', 'bool', 'any'];
const NAMES = ['x', 'y', 'z'];

function where(input: Pipeline): fc.Arbitrary<Pipeline> {
  return conditionTerm(input.columns, 2).map((condition) => ({
    ...input,
    text: `${input.text} | where ${condition.text}`,
    of: (world) => input.of(world).filter(({ cells }) => condition.of(cells) === true),
  }));
}

const oneTerm = (columns: readonly Column[], kinds: readonly Kind[], depth: number) =>
  fc.oneof(
    ...kinds.flatMap((kind) => {
      const term = termOf(kind, columns, depth);
      return term ? [term.map((of) => [kind, of] as const)] : [];
    }),
  );

function extend(input: Pipeline): fc.Arbitrary<Pipeline> {
  return fc.tuple(fc.constantFrom(...NAMES), oneTerm(input.columns, KINDS, 2)).map(([name, [kind, term]]) => ({
    ...input,
    text: `${input.text} | extend ${name} = ${term.text}`,
    columns: [...input.columns.filter((column) => column.name !== name), { name, kind }],
    unique: input.unique,
    of: (world) => input.of(world).map((row) => withCell(row, name, term.of(row.cells))),
  }));
}

function sort(input: Pipeline): fc.Arbitrary<Pipeline> {
  const plain = input.columns.map(({ name }) => name);
  return fc.array(fc.tuple(fc.constantFrom(...plain), fc.boolean()), { minLength: 1, maxLength: 2 }).map((by) => {
    const orders = [...by, ...input.unique.map((name) => [name, false] as const)];
    const keyOf = ({ cells, time }: Row, name: string) => (name === 'time' ? time : cellOf(cells, name));
    return {
      ...input,
      text: `${input.text} | sort ${orders.map(([name, descending]) => `${descending ? '-' : ''}${name}`).join(', ')}`,
      of: (world) =>
        [...input.of(world)].sort((a, b) =>
          orders.reduce((found, [name, descending]) => found || inOrder(keyOf(a, name), keyOf(b, name), descending), 0),
        ),
    };
  });
}

function limit(input: Pipeline): fc.Arbitrary<Pipeline> {
  return fc
    .tuple(fc.integer({ min: 0, max: 20 }), fc.option(fc.integer({ min: 0, max: 10 }), { nil: 0 }))
    .map(([count, offset]) => ({
      ...input,
      text: `${input.text} | limit ${count}${offset > 0 ? ` offset ${offset}` : ''}`,
      of: (world) => input.of(world).slice(offset, offset + count),
    }));
}

function dedup(input: Pipeline): fc.Arbitrary<Pipeline> {
  return fc
    .uniqueArray(fc.constantFrom(...input.columns.map(({ name }) => name)), { minLength: 1, maxLength: 2 })
    .map((names) => ({
      ...input,
      text: `${input.text} | dedup ${names.join(', ')}`,
      of: (world) => {
        const seen = new Set<string>();
        return input.of(world).filter(({ cells }) => {
          const key = names.map((name) => canonical(cellOf(cells, name))).join('\0');
          return !seen.has(key) && seen.add(key);
        });
      },
    }));
}

interface Aggregate {
  readonly text: string;
  readonly kind: Kind;
  readonly of: (rows: readonly Row[]) => Result;
}

const weightOf = (rows: readonly Row[]) => rows.reduce((total, { weight }) => total + weight, 0);
const hasNaN = (cells: readonly Cell[]) => cells.some((cell) => typeof cell === 'number' && Number.isNaN(cell));
const present = (rows: readonly Row[], term: Term) =>
  rows.flatMap((row) => {
    const cell = term.of(row.cells);
    return cell === null ? [] : [{ cell, row }];
  });

function quantileOf(values: readonly { cell: Cell; row: Row }[], level: number): Result {
  if (hasNaN(values.map(({ cell }) => cell))) return OPEN;
  const sorted = values
    .flatMap(({ cell, row }) => Array<number>(row.weight).fill(Number(cell)))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (sorted.length === 0) return null;
  const at = level * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return OPEN;
  return low + (high - low) * (at - Math.floor(at));
}

function extremeOf(values: readonly { cell: Cell }[], sign: number): Result {
  const cells = values.map(({ cell }) => cell);
  if (hasNaN(cells)) return OPEN;
  const [first = null, ...rest] = cells;
  return rest.reduce<Cell>((a, b) => (sign * inOrder(b, a, false) > 0 ? b : a), first);
}

/** Floats lose digits where large values cancel each other; the exact sum is not one of the documented properties there. */
function summed(values: readonly { cell: Cell; row: Row }[], isWhole: boolean): Result {
  if (isWhole) {
    const total = values.reduce((sum, { cell, row }) => sum + BigInt(cell as bigint) * BigInt(row.weight), 0n);
    return whole(total);
  }
  const numbers = values.map(({ cell, row }) => Number(cell) * row.weight);
  const total = numbers.reduce((a, b) => a + b, 0);
  const size = numbers.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  return Number.isFinite(total) && Math.abs(total) < size * 1e-6 && total !== 0
    ? OPEN
    : Number.isFinite(total) || !Number.isFinite(size)
      ? total
      : OPEN;
}

function aggregate(input: Pipeline): fc.Arbitrary<Aggregate> {
  const { columns } = input;
  const numbers = oneTerm(columns, ['int', 'float'], 1);
  const anything = oneTerm(columns, KINDS, 1);
  const condition = conditionTerm(columns, 1);
  const ofNumbers = (
    name: string,
    of: (values: readonly { cell: Cell; row: Row }[], kind: Kind) => Result,
    kind: (of: Kind) => Kind,
  ) =>
    numbers.map(
      ([type, term]): Aggregate => ({
        text: `${name}(${term.text})`,
        kind: kind(type),
        of: (rows) => of(present(rows, term), type),
      }),
    );
  const float = (): Kind => 'float';
  const same = (kind: Kind): Kind => kind;
  const ends = (name: 'first' | 'last') =>
    anything.map(
      ([kind, term]): Aggregate => ({
        text: `${name}(${term.text})`,
        kind,
        of: (rows) => {
          const inTime = present(rows, term).sort((a, b) => (a.row.time < b.row.time ? -1 : 1));
          return (name === 'first' ? inTime[0] : inTime.at(-1))?.cell ?? null;
        },
      }),
    );
  const always: fc.Arbitrary<Aggregate>[] = [
    fc.constant<Aggregate>({ text: 'count()', kind: 'int', of: (rows) => BigInt(weightOf(rows)) }),
    condition.map(
      (term): Aggregate => ({
        text: `count(${term.text})`,
        kind: 'int',
        of: (rows) => BigInt(weightOf(rows.filter(({ cells }) => term.of(cells) === true))),
      }),
    ),
    condition.map(
      (term): Aggregate => ({
        text: `ratio(${term.text})`,
        kind: 'float',
        of: (rows) =>
          rows.length === 0 ? null : weightOf(rows.filter(({ cells }) => term.of(cells) === true)) / weightOf(rows),
      }),
    ),
    anything.map(
      ([, term]): Aggregate => ({
        text: `count_distinct(${term.text})`,
        kind: 'int',
        of: (rows) => BigInt(new Set(present(rows, term).map(({ cell }) => canonical(cell))).size),
      }),
    ),
    ofNumbers('sum', (values, kind) => summed(values, kind === 'int'), same),
    ofNumbers(
      'avg',
      (values) => {
        if (values.length === 0) return null;
        const total = summed(
          values.map(({ cell, row }) => ({ cell: Number(cell), row })),
          false,
        );
        return typeof total === 'number' ? total / weightOf(values.map(({ row }) => row)) : total;
      },
      float,
    ),
    ofNumbers('min', (values) => extremeOf(values, -1), same),
    ofNumbers('max', (values) => extremeOf(values, 1), same),
    ofNumbers('p50', (values) => quantileOf(values, 0.5), float),
    ofNumbers('p90', (values) => quantileOf(values, 0.9), float),
    fc.tuple(numbers, condition).map(
      ([[kind, term], test]): Aggregate => ({
        text: `sum_if(${term.text}, ${test.text})`,
        kind,
        of: (rows) =>
          summed(
            present(
              rows.filter(({ cells }) => test.of(cells) === true),
              term,
            ),
            kind === 'int',
          ),
      }),
    ),
    fc.tuple(numbers, condition).map(
      ([[kind, term], test]): Aggregate => ({
        text: `max_if(${term.text}, ${test.text})`,
        kind,
        of: (rows) =>
          extremeOf(
            present(
              rows.filter(({ cells }) => test.of(cells) === true),
              term,
            ),
            1,
          ),
      }),
    ),
  ];
  return fc.oneof(...always, ...(input.grouped ? [] : [ends('first'), ends('last')]));
}

function stats(input: Pipeline): fc.Arbitrary<Pipeline> {
  const keys = fc.array(oneTerm(input.columns, KINDS, 1), { maxLength: 2 });
  return fc.tuple(fc.array(aggregate(input), { minLength: 1, maxLength: 3 }), keys).map(([aggregates, by]) => {
    const keyed = by.map(([, term], at) => `k${at}=${term.text}`);
    return {
      text: `${input.text} | stats ${aggregates.map(({ text }, at) => `v${at}=${text}`).join(', ')}${keyed.length > 0 ? ` by ${keyed.join(', ')}` : ''}`,
      columns: [
        ...by.map(([kind], at): Column => ({ name: `k${at}`, kind })),
        ...aggregates.map(({ kind }, at): Column => ({ name: `v${at}`, kind })),
      ],
      grouped: true,
      unique: by.map((_, at) => `k${at}`),
      sorted: true,
      of: (world: World) => {
        const groups = new Map<string, { keys: readonly Cell[]; rows: Row[] }>();
        if (by.length === 0) groups.set('', { keys: [], rows: [] });
        for (const row of input.of(world)) {
          const cells = by.map(([, term]) => term.of(row.cells));
          const key = cells.map(canonical).join('\0');
          const group = groups.get(key) ?? { keys: cells, rows: [] };
          group.rows.push(row);
          groups.set(key, group);
        }
        return [...groups.values()]
          .sort((a, b) =>
            a.keys.reduce<number>((found, cell, at) => found || inOrder(cell, b.keys[at] ?? null, false), 0),
          )
          .map(
            ({ keys, rows }): Row => ({
              cells: new Map<string, Result>([
                ...keys.map((cell, at) => [`k${at}`, cell] as const),
                ...aggregates.map(({ of }, at) => [`v${at}`, of(rows)] as const),
              ]),
              weight: 1,
              time: 0n,
            }),
          );
      },
    };
  });
}

function fields(input: Pipeline): fc.Arbitrary<Pipeline> {
  return fc
    .uniqueArray(fc.constantFrom(...input.columns), { minLength: 1, maxLength: 4, selector: ({ name }) => name })
    .map((columns) => ({
      ...input,
      text: `${input.text} | fields ${columns.map(({ name }) => name).join(', ')}`,
      columns,
    }));
}

function further(input: Pipeline, count: number): fc.Arbitrary<Pipeline> {
  if (count === 0) return input.grouped ? fc.constant(input) : fields(input);
  const stage = fc.oneof(
    { weight: 3, arbitrary: where(input) },
    { weight: 3, arbitrary: extend(input) },
    { weight: 1, arbitrary: sort(input) },
    { weight: 1, arbitrary: limit(input) },
    { weight: 1, arbitrary: dedup(input) },
    { weight: 3, arbitrary: stats(input) },
  );
  return stage.chain((next) => further(next, count - 1));
}

export const pipeline: fc.Arbitrary<Pipeline> = fc
  .tuple(fc.constantFrom(...SOURCES), fc.integer({ min: 0, max: 4 }))
  .chain(([source, count]) => further(source, count));
