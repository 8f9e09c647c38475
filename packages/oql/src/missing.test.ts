import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResultValue } from './result.ts';
import { type Engine, startEngine } from './testing/engine.ts';
import { MISSING_TABLES, ODD_NAME, ROWS, type Row } from './testing/missing-fixture.ts';

/** A missing value differs from an empty one wherever an attribute is read. */

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(MISSING_TABLES);
});
afterAll(() => engine.stop());

type Cell = ResultValue;
type Key = (row: Row) => Cell;
const text: Key = (row) => row.text ?? null;
/** The value as sent. */
const mixed: Key = ({ mixed }) => {
  if (mixed === undefined) return null;
  if (typeof mixed === 'bigint') return Number(mixed);
  return typeof mixed === 'object' ? mixed.map(Number) : mixed;
};
const either: Key = (row) => row.own ?? row.resource ?? null;
const resource: Key = (row) => row.resource ?? null;
/** The value of `mixed` if it is a number; texts are not converted. */
const number = ({ mixed }: Row) => (typeof mixed === 'bigint' || typeof mixed === 'number' ? Number(mixed) : undefined);
const spansOf = (rows: readonly Row[]) => rows.reduce((sum, { weight }) => sum + weight, 0);

/** The rows of each combination of keys: numbers first, then texts, then missing ones. */
function grouped(keys: readonly Key[]): readonly { readonly key: readonly Cell[]; rows: Row[] }[] {
  const groups = new Map<string, { key: Cell[]; rows: Row[] }>();
  for (const row of ROWS) {
    const key = keys.map((of) => of(row));
    const group = groups.get(JSON.stringify(key)) ?? { key, rows: [] };
    groups.set(JSON.stringify(key), group);
    group.rows.push(row);
  }
  return [...groups.values()].sort((a, b) => {
    for (const [i, left] of a.key.entries()) {
      const order = inOrder(left, b.key[i] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function inOrder(a: Cell, b: Cell): number {
  const rank = (value: Cell) => (value === null ? 2 : typeof value === 'number' ? 0 : 1);
  const text = (value: Cell) => (Array.isArray(value) ? JSON.stringify(value) : String(value));
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (rank(a) === 0) return Number(a) - Number(b);
  return text(a) < text(b) ? -1 : Number(text(a) !== text(b));
}

const counts = (keys: readonly Key[], count: (rows: readonly Row[]) => number): Cell[][] =>
  grouped(keys).map(({ key, rows }) => [...key, count(rows)]);
const matching = (holds: (row: Row) => boolean): ResultValue[][] => [[spansOf(ROWS.filter(holds))]];
const rowCount = (rows: readonly Row[]) => rows.length;

async function expectAnswer(query: string, rows: readonly (readonly Cell[])[]): Promise<void> {
  expect((await engine.ask(query)).rows).toEqual(rows);
}

describe('groups', () => {
  test.each<[string, readonly Key[]]>([
    ['text', [text]],
    ['mixed', [mixed]],
    ['where', [either]],
    ['resource.where', [resource]],
    ['attr.where', [(row) => row.own ?? null]],
    ['text, where', [text, either]],
    ['mixed, text', [mixed, text]],
    ['service.name, text', [() => 'shop', text]],
    [`attr["${ODD_NAME}"]`, [text]],
  ])('by %s', async (by, keys) => {
    await expectAnswer(`spans | stats n=count() by ${by}`, counts(keys, spansOf));
  });

  test('of logs', async () => {
    await expectAnswer('logs | stats n=count() by text', counts([text], rowCount));
    await expectAnswer('logs | stats n=count() by resource.where, text', counts([resource, text], rowCount));
  });

  test('returns the top groups and combines all others', async () => {
    const ranked = [...grouped([either])]
      .map(({ key, rows }): [Cell, number] => [key[0] ?? null, spansOf(rows)])
      .sort(([, a], [, b]) => b - a);
    await expectAnswer('spans | stats n=count() by where | top 10 by n', ranked);
    const rest = ranked.slice(2).reduce((sum, [, n]) => sum + n, 0);
    await expectAnswer('spans | stats n=count() by where | top 2 by n other', [
      ...ranked.slice(0, 2),
      ['(other)', rest],
    ]);
  });
});

describe('conditions', () => {
  test.each<[string, (row: Row) => boolean]>([
    ['text == ""', (row) => row.text === ''],
    ['text != ""', (row) => row.text !== ''],
    ['text == "x"', (row) => row.text === 'x'],
    ['text != "x"', (row) => row.text !== 'x'],
    ['text exists', (row) => row.text !== undefined],
    ['not text exists', (row) => row.text === undefined],
    ['text == null', (row) => row.text === undefined],
    ['text in ("", "x")', (row) => row.text !== undefined],
    ['text not in ("")', (row) => row.text !== ''],
    ['text in ("x", "y")', (row) => row.text === 'x'],
    ['text =~ "^$"', (row) => (row.text ?? '') === ''],
    ['text < "a"', (row) => row.text === ''],
    ['text == where', (row) => text(row) === either(row)],
    ['where == ""', (row) => either(row) === ''],
    ['where exists', (row) => either(row) !== null],
    ['resource.where == ""', (row) => row.resource === ''],
    ['resource.where exists', (row) => row.resource !== undefined],
    ['mixed == ""', (row) => row.mixed === ''],
    ['mixed == 0', (row) => number(row) === 0],
    ['mixed == 5', (row) => number(row) === 5],
    ['mixed != 5', (row) => number(row) !== 5],
    ['mixed < 2', (row) => (number(row) ?? 9) < 2],
    ['mixed >= 0.0', (row) => number(row) !== undefined],
    ['mixed == false', (row) => row.mixed === false],
    ['mixed != false', (row) => row.mixed !== false],
    ['mixed exists', (row) => row.mixed !== undefined],
    ['mixed == null', (row) => row.mixed === undefined],
    [`attr["${ODD_NAME}"] exists`, (row) => row.text !== undefined],
  ])('%s', async (condition, holds) => {
    await expectAnswer(`spans | where ${condition} | count`, matching(holds));
  });
});

test('skips only missing values in aggregates', async () => {
  const total = ROWS.reduce((sum, row) => sum + (number(row) ?? 0) * row.weight, 0);
  const withText = ROWS.filter((row) => row.text !== undefined);
  const numbers = ROWS.filter((row) => number(row) !== undefined);
  await expectAnswer(
    'spans | stats a=count(text), b=count_distinct(text), c=values(text), d=sum(mixed), e=min(mixed), f=count_distinct(mixed), g=ratio(text exists), h=avg(mixed)',
    [
      [
        spansOf(withText),
        2,
        ['', 'x'],
        total,
        0,
        // 0 was sent as a whole number and as a float.
        new Set(ROWS.flatMap((row) => (mixed(row) === null ? [] : [JSON.stringify(mixed(row))]))).size,
        spansOf(withText) / spansOf(ROWS),
        total / spansOf(numbers),
      ],
    ],
  );
});

test('rows', async () => {
  const rows = ROWS.toReversed().map((row) => [text(row), mixed(row), either(row), resource(row)]);
  await expectAnswer('spans | fields text, mixed, where, resource.where', rows);
  const functions = ROWS.map((row) => [(row.text ?? 'none').length, row.text ?? row.own ?? 'none']);
  await expectAnswer(
    'spans | sort time | extend a=length(coalesce(text, "none")), b=coalesce(text, attr.where, "none") | fields a, b',
    functions,
  );
});

test('sorts numbers, then texts, then nulls', async () => {
  const sorted = ROWS.map((row) => [mixed(row)]).sort(([a], [b]) => inOrder(a ?? null, b ?? null));
  await expectAnswer('spans | sort mixed | fields mixed', sorted);
});
