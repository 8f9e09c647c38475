import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile, decodeRow } from '../index.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { SCOPE, START } from '../testing/fixture.ts';
import { seriesTables } from '../testing/series-tables.ts';
import { labelsIn, NoEqual, type Translation, translatePromql } from './index.ts';
import { parsePromql } from './parse.ts';
import { AT_SECONDS, QUERIES, REFUSED } from './testing/queries.ts';
import { LABELS, SERIES } from './testing/series.ts';

type Rows = readonly (readonly [Readonly<Record<string, string>>, string])[];
/** Recorded by scripts/record-promql-answers.ts from a real Prometheus. */
const ANSWERS: Readonly<Record<string, Rows>> = JSON.parse(
  readFileSync(new URL('testing/answers.json', import.meta.url), 'utf8'),
);

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine(seriesTables(SERIES));
});
afterAll(() => engine.stop());

const keyOf = (labels: Readonly<Record<string, string>>) =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([, value]) => value !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const conditions = {
  '>': (a: number, b: number) => a > b,
  '>=': (a: number, b: number) => a >= b,
  '<': (a: number, b: number) => a < b,
  '<=': (a: number, b: number) => a <= b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
};

/** The rows that an alert rule would fire for, by their labels. */
async function answer({ query, condition, windowSeconds = 60 }: Translation): Promise<Map<string, number | null>> {
  const toNs = START + BigInt(AT_SECONDS) * 1_000_000_000n;
  const window = { fromNs: toNs - BigInt(windowSeconds) * 1_000_000_000n, toNs };
  const compiled = compile(query, { scope: SCOPE, window, limit: 1_000, nowNs: toNs });
  if (!compiled.ok) throw new Error(query);
  const params = Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value]));
  // Once: `ask` asks each query in every way, which the tests of OQL's own metrics do.
  const rows = (await engine.select(compiled.sql, params, compiled.settings)).map((row) =>
    decodeRow(compiled.columns, row),
  );
  const { columns } = compiled;
  const found = new Map<string, number | null>();
  for (const row of rows) {
    const labels: Record<string, string> = {};
    let value: number | null = null;
    columns.forEach(({ name }, i) => {
      const cell = row[i] ?? null;
      if (name === 'value') value = cell === null ? null : Number(cell);
      else if (cell !== null) labels[name] = String(cell);
    });
    if (condition !== undefined && (value === null || !conditions[condition.op](value, condition.threshold))) continue;
    expect(found.has(keyOf(labels)), `two rows of ${keyOf(labels)}`).toBe(false);
    found.set(keyOf(labels), value);
  }
  return found;
}

describe('a translation returns what Prometheus returns', () => {
  it.each(QUERIES)('%s', async (text) => {
    const translation = translatePromql(text, { labels: LABELS, purpose: 'alert' });
    const found = await answer(translation);
    const expected = new Map((ANSWERS[text] ?? []).map(([labels, value]) => [keyOf(labels), value]));
    expect([...found.keys()].sort(), translation.query).toEqual([...expected.keys()].sort());
    for (const [labels, value] of expected) {
      const number = Number(value.replace('Inf', 'Infinity'));
      const own = found.get(labels);
      if (Number.isFinite(number)) expect(own, labels).toBeCloseTo(number, 9);
      else expect(own, labels).toBe(number);
    }
  });
});

describe('translatePromql', () => {
  it.each(REFUSED)('refuses %.60s', (text, reason) => {
    expect(() => translatePromql(text, { labels: LABELS, purpose: 'alert' })).toThrow(reason);
    expect(() => translatePromql(text, { labels: LABELS, purpose: 'alert' })).toThrow(NoEqual);
  });

  it('refuses an expression that keeps all labels while these are not known', () => {
    for (const text of ['up == 0', 'sum without (cpu) (a)', 'histogram_quantile(0.9, rate(a_bucket[5m]))'])
      expect(() => translatePromql(text, { purpose: 'alert' })).toThrow(/--labels/);
    expect(translatePromql('sum by (job) (rate(a_total[5m])) > 2', { purpose: 'alert' })).toMatchObject({
      query: 'metric a_total | promrate 5m | stats value=sum(value) by job',
      condition: { op: '>', threshold: 2 },
    });
  });

  it('makes an alert of absence of absent, with the labels of its row', () => {
    expect(translatePromql('absent(up{job="node",instance=~"a",x="1",x="2"})', { purpose: 'alert' })).toMatchObject({
      kind: 'absence',
      labels: { job: 'node' },
      query:
        'metric up | where job == "node" and instance =~ "^(?s:a)$" and x == "1" and x == "2" | latest 5m | stats value=count() | where value > 0',
    });
    expect(translatePromql('absent_over_time(up{job="node"}[1h])', { purpose: 'alert' }).windowSeconds).toBe(3_600);
  });

  it.each([
    ['rate(a_total[5m])', /by series, job \| omit series$/],
    ['1 - avg without (cpu) (rate(a_total{cpu!=""}[5m]))', /extend value = 1 - value$/],
    ['count without (job) (a)', /stats value=count\(\)/],
  ])('translates %s for each step of a recording rule', (text, query) => {
    expect(translatePromql(text, { labels: ['job'], purpose: 'record' }).query).toMatch(query);
  });

  it.each([
    ['a / b', /several groupings/],
    ['sum(a)', /several groupings|one grouping/],
    ['a > 5', /several groupings/],
    ['absent(a)', /several groupings/],
    ['avg_over_time(a[5m])', /one step of time/],
  ])('refuses %s in a recording rule', (text, reason) => {
    if (text === 'sum(a)') expect(translatePromql(text, { labels: ['job'], purpose: 'record' }).query).toContain('sum');
    else expect(() => translatePromql(text, { labels: ['job'], purpose: 'record' })).toThrow(reason);
  });

  it.each([
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
    '([a{99}]{2}){400}',
    '\\\\{1001}x',
    '(a|b){1,1000}c{5,}',
    '(x+)+y',
  ])('takes the pattern %s', (pattern) => {
    const { query } = translatePromql(`sum(a{x=~"${pattern}"})`, { purpose: 'alert' });
    expect(query).toContain('^(?s:');
  });

  it('names the labels of an expression', () => {
    expect(labelsIn('sum by (a) (x{b="1"}) / on (c) group_left (d) y').sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reads texts and numbers as Go does', () => {
    expect(parsePromql('a{x="\\u00e4\\t\\"b", y=`\\d+`}')).toMatchObject({
      matchers: [{ value: 'ä\t"b' }, { value: '\\d+' }],
    });
    expect(parsePromql('0x1f')).toEqual({ kind: 'number', value: 31 });
    expect(parsePromql('1h30m')).toEqual({ kind: 'number', value: 5_400 });
  });

  it('answers or refuses any text, and never fails otherwise', () => {
    const word = fc.constantFrom(
      ...'a b_total sum rate by ( ) { } [ ] 5m 1 > == and or unless on , = =~ "x" + - / offset absent topk'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        try {
          translatePromql(words.join(' '), { labels: ['job'], purpose: 'alert' });
        } catch (error) {
          expect(error).toBeInstanceOf(NoEqual);
        }
      }),
      { numRuns: 300 },
    );
  });
});
