import { describe, expect, it } from 'vitest';
import { chainOf, type GraphRule, isReserved, writerOf } from './graph-rules.ts';

const rule = (name: string, reads: string, others: Partial<GraphRule> = {}): GraphRule => ({
  id: `id of ${name}`,
  name,
  environment: null,
  query: `${reads} | stats value=max(value)`,
  unit: '',
  labels: {},
  ...others,
});
const names = (made: GraphRule, others: readonly GraphRule[]) => chainOf(made, others)?.map(({ name }) => name);

describe('chainOf', () => {
  it('finds a rule that reads what it writes, also by a pattern', () => {
    expect(names(rule('a', 'metric a'), [])).toEqual(['a']);
    expect(names(rule('abc', 'metric =~ "^a"'), [])).toEqual(['abc']);
    expect(names(rule('abc', 'metric =~ "^b"'), [])).toBeUndefined();
  });

  it('finds the shortest chain, with what each rule reads', () => {
    const others = [rule('b', 'metric c'), rule('c', 'metric a'), rule('d', 'metric b')];
    expect(chainOf(rule('a', 'metric b', { id: null }), others)).toEqual([
      { rule: null, name: 'a', environment: null, reads: ['b'] },
      { rule: 'id of b', name: 'b', environment: null, reads: ['c'] },
      { rule: 'id of c', name: 'c', environment: null, reads: ['a'] },
    ]);
  });

  it('accepts rules that read each other in one direction only', () => {
    expect(names(rule('a', 'metric b'), [rule('b', 'metric c'), rule('c', 'spans')])).toBeUndefined();
    expect(names(rule('a', 'metric b'), [rule('b', 'metric c'), rule('c', 'metric b')])).toBeUndefined();
  });

  it('follows environments: a rule of one reads only that one', () => {
    const made = rule('a', 'metric b', { environment: 'production' });
    expect(names(made, [rule('b', 'metric a', { environment: 'staging' })])).toBeUndefined();
    expect(names(made, [rule('b', 'metric a', { environment: 'production' })])).toEqual(['a', 'b']);
    expect(names(rule('a', 'metric b'), [rule('b', 'metric a', { environment: 'staging' })])).toBeUndefined();
  });
});

describe('writerOf', () => {
  it('finds a rule of the same metric and place, unless a label tells them apart', () => {
    const made = rule('a', 'spans', { labels: { quantile: '0.5', team: 'x' } });
    expect(writerOf(made, [rule('b', 'spans'), rule('a', 'logs')])?.query).toMatch(/^logs/);
    expect(writerOf(made, [rule('a', 'logs', { labels: { quantile: '0.9' } })])).toBeUndefined();
    expect(writerOf(made, [rule('a', 'logs', { labels: { team: 'x' } })])).toBeDefined();
    expect(writerOf(made, [rule('a', 'logs', { environment: 'production' })])).toBeUndefined();
  });
});

describe('rules in PromQL of one metric', () => {
  const promql = (labels: GraphRule['labels']) => rule('a', '', { query: 'b', query_language: 'promql', labels });

  it('write other series unless they have the same labels', () => {
    expect(writerOf(promql({ type: 'job' }), [promql({})])).toBeUndefined();
    expect(writerOf(promql({ type: 'job' }), [promql({ type: 'job' })])).toBeDefined();
    expect(writerOf(promql({ type: 'job' }), [rule('a', 'spans')])).toBeDefined();
  });
});

describe('isReserved', () => {
  it.each([
    ['ALERTS', true],
    ['ALERTS_FOR_STATE', true],
    ['__name__', true],
    ['__meta', true],
    ['alerts', false],
    ['job:up:sum', false],
  ])('%s: %s', (name, expected) => {
    expect(isReserved(name)).toBe(expected);
  });
});

describe('a chain through PromQL', () => {
  const promql = (name: string, query: string, others: Partial<GraphRule> = {}) =>
    rule(name, '', { query, query_language: 'promql', ...others });

  it('is found by the names that the expressions select', () => {
    expect(names(promql('a', 'sum(rate(a[5m]))'), [])).toEqual(['a']);
    expect(names(promql('a', 'b / on () c'), [promql('c', 'sum(a)')])).toEqual(['a', 'c']);
    expect(names(promql('abc', '{__name__=~"a.*"}'), [])).toEqual(['abc']);
    expect(names(promql('abc', '{__name__=~"a"}'), [])).toBeUndefined();
    expect(names(promql('a', '{__name__!="a", __name__=~".+"}'), [])).toBeUndefined();
    expect(names(promql('a', 'sum({job="x"})'), [])).toBeUndefined();
  });

  it('is found by the words of a metric and its unit, as PromQL reads them', () => {
    const latency = { query: 'shop_latency_seconds', query_language: 'promql' } as const;
    expect(names(rule('shop.latency', '', { unit: 's', ...latency }), [])).toEqual(['shop.latency']);
    expect(names(rule('a', 'metric b'), [promql('b', 'a')])).toEqual(['a', 'b']);
  });
});
