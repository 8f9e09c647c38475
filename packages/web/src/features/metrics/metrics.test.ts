import { validate } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import { aggregationsOf, alertQuery, chartQuery, metricName } from './metric-query.ts';
import { metricFormat } from './metric-units.ts';

const counter = { kind: 'sum', unit: '{request}', monotonic: true };
const histogram = { kind: 'histogram', unit: 's', monotonic: false };

describe('aggregationsOf', () => {
  it.each([
    [counter, 'rate'],
    [{ ...counter, monotonic: false }, 'avg'],
    [{ kind: 'gauge', unit: '1', monotonic: false }, 'avg'],
    [histogram, 'quantiles'],
    [{ ...histogram, kind: 'exponential_histogram' }, 'quantiles'],
  ])('%o starts with %s', (of, first) => expect(aggregationsOf(of)[0]).toBe(first));
});

it('writes names that are not plain paths between backticks', () => {
  expect(metricName('http.server.duration')).toBe('http.server.duration');
  expect(metricName('jvm-heap used')).toBe('`jvm-heap used`');
});

it('writes the query of each aggregation', () => {
  expect(chartQuery({ metric: 'n', of: counter, aggregation: 'rate', bucket: '1m' })).toBe(
    'metric n | rate | sum by bucket(1m)',
  );
  expect(
    chartQuery({ metric: 'd', of: histogram, aggregation: 'p99', service: 'a"b', by: 'http.route', bucket: '5m' }),
  ).toBe('metric d | where service.name == "a\\"b" | increase | p99 by http.route, bucket(5m)');
  expect(chartQuery({ metric: 'd', of: histogram, aggregation: 'increase', bucket: '5m' })).toBe(
    'metric d | increase | stats n=sum(count) by bucket(5m)',
  );
});

it.each([
  [{ of: counter, aggregation: 'rate' }, 'metric n | rate | sum'],
  [{ of: counter, aggregation: 'rate', by: 'http.route' }, 'metric n | rate | sum by http.route'],
  [{ of: histogram, aggregation: 'quantiles' }, 'metric n | increase | p99'],
  [{ of: histogram, aggregation: 'count', by: 'x' }, 'metric n | rate | stats n=sum(count) by x'],
  [
    { of: { ...counter, monotonic: false }, aggregation: 'avg', service: 'a' },
    'metric n | where service.name == "a" | avg',
  ],
] as const)('writes a query with one value for an alert: %o', (asked, query) => {
  expect(alertQuery({ metric: 'n', ...asked })).toBe(query);
  expect(validate(query)).toEqual({ valid: true, diagnostics: [] });
});

it('writes values in their unit', () => {
  expect(metricFormat('s', 'p99', true)(0.25)).toBe('250 ms');
  expect(metricFormat('By', 'avg', false)(2048)).toMatch(/B$/);
  expect(metricFormat('By', 'rate', false)(2048)).toMatch(/B\/s$/);
  expect(metricFormat('{request}', 'rate', false)(12)).toBe('12/s');
  expect(metricFormat('s', 'increase', true)(12)).toBe('12');
});
