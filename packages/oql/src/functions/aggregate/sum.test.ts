import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResultValue } from '../../index.ts';
import { type Engine, startEngine } from '../../testing/engine.ts';
import { FIXTURE_TABLES } from '../../testing/fixture.ts';
import { rows, START, TENANT } from '../../testing/world.ts';

const none = { strings: {}, ints: {}, floats: {}, bools: {}, jsons: {}, resource: {}, events: [], link: ['', ''] };
const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');
const BEYOND = '9007199254740993';
const LARGEST = '9223372036854775807';

/** `n` is the attribute that is added up; spans of one name are a case. */
const SPANS = [
  { name: 'one', ints: { n: BEYOND } },
  { name: 'small parts', ints: { n: '4503599627370496' } },
  { name: 'small parts', ints: { n: '4503599627370496' } },
  { name: 'small parts', ints: { n: '1' } },
  { name: 'cancels', ints: { n: BEYOND } },
  { name: 'cancels', ints: { n: '-9007199254740992' } },
  { name: 'negative', ints: { n: '-9007199254740995' } },
  { name: 'with a fraction', ints: { n: BEYOND } },
  { name: 'with a fraction', ints: { n: '-9007199254740992' } },
  { name: 'with a fraction', floats: { n: 0.5 } },
  { name: 'with infinity', ints: { n: BEYOND } },
  { name: 'with infinity', floats: { n: 'inf' } },
  { name: 'fractions', floats: { n: 1.5 } },
  { name: 'fractions', floats: { n: 2.25 } },
  { name: 'large floats', floats: { n: 1e19 } },
  { name: 'large floats', floats: { n: 1e19 } },
  { name: 'texts', strings: { n: BEYOND } },
  { name: 'in the resource', resource: { n: BEYOND } },
  { name: 'hidden', floats: { n: 1.5 }, resource: { n: BEYOND } },
  { name: 'inside a map', jsons: { m: `{"n":${BEYOND}}` } },
  { name: 'largest', ints: { n: LARGEST } },
  { name: 'too large', ints: { n: LARGEST } },
  { name: 'too large', ints: { n: '1' } },
  { name: 'sampled', weight: 3, ints: { n: BEYOND } },
  { name: 'sampled unevenly', weight: 2.5, ints: { n: '4' } },
  { name: 'sampled unevenly', weight: 1, ints: { n: '1' } },
].map((one, at) => ({
  ...TENANT,
  ...none,
  ...one,
  time: START + BigInt(at),
  duration: 1,
  trace_id: hex(at + 1, 32),
  span_id: hex(at + 1, 16),
  parent_span_id: '',
  service: 'shop',
  kind: 'server',
  status: 'ok',
  weight: 'weight' in one ? one.weight : 1,
}));

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([{ insert: FIXTURE_TABLES[0]?.insert ?? '', rows: rows(SPANS) }]);
});
afterAll(() => engine.stop());

const of = (name: string) => `spans | where name == "${name}"`;

describe('the sum of an attribute', () => {
  test.each<[string, ResultValue]>([
    ['one', BEYOND],
    ['small parts', '9007199254740993'],
    ['cancels', 1],
    ['negative', '-9007199254740995'],
    ['with a fraction', 1.5],
    ['with infinity', 'Infinity'],
    ['fractions', 3.75],
    ['large floats', 2e19],
    ['texts', 0],
    ['in the resource', BEYOND],
    ['hidden', 1.5],
    ['largest', LARGEST],
    ['sampled', '27021597764222979'],
    ['sampled unevenly', 11],
    ['nothing', 0],
  ])('is exact where all values are integers, and a float where one is not: %s', async (name, sum) => {
    const query = `${of(name)} | stats s=sum(n), t=sum_if(n, n exists), u=sum_if(n, n == null)`;
    expect((await engine.ask(query)).rows).toEqual([[sum, sum, 0]]);
    // As a column of an earlier stage it is stored in another form.
    const stored = `${of(name)} | extend x = n | sort time | limit 9 | stats s=sum(x)`;
    expect((await engine.ask(stored)).rows).toEqual([[sum]]);
  });

  test('is exact for integers inside maps, and in groups', async () => {
    expect((await engine.ask(`${of('inside a map')} | stats s=sum(m["n"])`)).rows).toEqual([[BEYOND]]);
    const { rows: groups } = await engine.ask('spans | where name in ("one", "cancels") | stats s=sum(n) by name');
    expect(groups).toEqual([
      ['cancels', 1],
      ['one', BEYOND],
    ]);
  });

  test('fails if it does not fit into 64 bits, as that of `int` does', async () => {
    for (const value of ['n', 'int(n)']) {
      const asked = engine.ask(`${of('too large')} | stats s=sum(${value})`);
      await expect(asked).rejects.toMatchObject({ cause: { message: expect.stringContaining('Int64') } });
    }
  });

  test('is summed with earlier rows, and over all', async () => {
    const { rows: running } = await engine.ask(
      `${of('small parts')} | sort time | extend r=running_sum(n), o=sum(n) over all, l=sum(n) over 2 rows | fields r, o, l`,
    );
    expect(running).toEqual([
      [4503599627370496, BEYOND, 4503599627370496],
      [2 ** 53, BEYOND, 2 ** 53].map(digits),
      [BEYOND, BEYOND, 4503599627370497],
    ]);
  });
});

/** From 2^53 on, an integer is printed as text. */
function digits(value: string | number): string | number {
  return typeof value === 'string' || Number.isSafeInteger(value) ? value : BigInt(value).toString();
}

describe('a sum that is an integer beyond 2^53', () => {
  const sums = 'spans | where name in ("one", "small parts") | stats s=sum(n) by name';

  test.each<[string, readonly (readonly ResultValue[])[]]>([
    ['stats t=sum(s), x=max(s), i=min(s)', [['18014398509481986', BEYOND, BEYOND]]],
    ['stats n=count() by s', [[BEYOND, 2]]],
    [`where s == ${BEYOND} | count`, [[2]]],
    ['where s == 9007199254740992 | count', [[0]]],
    ['extend i=int(s), t=string(s) | limit 1 | fields i, t', [[BEYOND, BEYOND]]],
    ['extend t=sum(s) over all | limit 1 | fields t', [['18014398509481986']]],
    ['top 1 by s other | fields s', [[BEYOND], [BEYOND]]],
    [
      `union (${of('negative')} | stats s=sum(n) by name) | sort s | fields s`,
      [['-9007199254740995'], [BEYOND], [BEYOND]],
    ],
    [`join (${of('one')} | stats t=sum(n) by name) on name as o | fields s, o.t`, [[BEYOND, BEYOND]]],
    [
      `join left (${of('one')} | stats t=sum(n) by name) on name as o | sort name | fields s, o.t`,
      [
        [BEYOND, BEYOND],
        [BEYOND, null],
      ],
    ],
    [`where s == (${of('one')} | stats t=sum(n)) | count`, [[2]]],
    [`where s == (${of('one')} | stats t=sum(n) | limit 0) | count`, [[0]]],
  ])('stays exact: %s', async (stages, answer) => {
    expect((await engine.ask(`${sums} | ${stages}`)).rows).toEqual(answer);
  });

  test.each([
    ['fill 0', [BEYOND, 0]],
    ['fill prev', [BEYOND, BEYOND]],
    ['fill linear', [BEYOND, null]],
    ['compare 30m | sort time', [BEYOND, null]],
  ])('stays exact in buckets: %s', async (stage, answer) => {
    const { columns, rows } = await engine.ask(`${of('one')} | stats s=sum(n) by bucket(30m) | ${stage}`);
    const at = columns.findIndex(({ name }) => name === 's');
    expect(rows.map((row) => row[at])).toEqual(answer);
  });

  test('is compared exactly in a condition on traces', async () => {
    const found = (n: string) => engine.ask(`traces | where sum(n) == ${n} and any(name == "one") | count`);
    expect((await found(BEYOND)).rows).toEqual([[1]]);
    expect((await found('9007199254740992')).rows).toEqual([[0]]);
  });

  test('sorts by all its digits', async () => {
    const query = 'spans | where name in ("one", "negative") | stats s=sum(n) by name | sort -s | fields name';
    expect((await engine.ask(query)).rows).toEqual([['one'], ['negative']]);
  });
});
