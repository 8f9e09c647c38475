import { type Expected, loaded } from './notation.ts';

/**
 * Facts of Prometheus' own test of functions (`promql/promqltest/testdata/functions.test`, Apache-2.0,
 * https://github.com/prometheus/prometheus): its series and expected answers, for the parts that OQL can express. The
 * queries are ours. Prefixes such as `irate.` mark series that each part of that test loads again.
 */
const foo = { path: '/foo' };
const bar = { path: '/bar' };

export const FUNCTION_SERIES = [
  loaded('sum', 'increase.http_requests_total', foo, '0+10x10'),
  loaded('sum', 'increase.http_requests_total', bar, '0+18x5 0+18x5'),
  loaded('sum', 'increase.http_requests_total', { path: '/dings' }, '10+10x10'),
  loaded('sum', 'increase.http_requests_total', { path: '/bumms' }, '1+10x10'),
  loaded('sum', 'reset.http_requests_total', foo, '0 1 2 3 2 3 4'),
  loaded('sum', 'testcounter_reset_middle_total', {}, '0+27x4 0+27x5'),
  loaded('sum', 'testcounter_reset_end_total', {}, '0+10x9 0 10'),
  loaded('sum', 'calculate_rate_offset_total', { x: 'a' }, '0+10x10'),
  loaded('sum', 'calculate_rate_offset_total', { x: 'b' }, '0+20x10'),
  loaded('sum', 'calculate_rate_window_total', {}, '0+80x10'),
  ...[0, 1, 2, 3, 4, 5].map((start) =>
    loaded('sum', 'testcounter_zero_cutoff_total', { start: `${start}m` }, `${start * 60}+240x10`, 240),
  ),
  loaded('sum', 'irate.http_requests_total', foo, '0+10x10'),
  loaded('sum', 'irate.http_requests_total', bar, '0+10x5 0+10x5'),
  loaded('gauge', 'irate.http_requests_nan', {}, '1 NaN NaN 5 11'),
  loaded('gauge', 'delta.http_requests', foo, '0 50 100 150 200'),
  loaded('gauge', 'delta.http_requests', bar, '200 150 100 50 0'),
  loaded('sum', 'deriv.testcounter_reset_middle_total', {}, '0+10x4 0+10x5'),
  loaded('sum', 'deriv.http_requests_total', {}, '0+80x10'),
  loaded('gauge', 'deriv.http_requests_inf', {}, '-Inf 0+80x10 Inf'),
  loaded('gauge', 'deriv.disk', {}, '541165879296.1x10'),
  loaded('gauge', 'avg.metric', {}, '1 2 3 4 5', 10),
  loaded('gauge', 'avg.metric5', {}, 'Inf 0 Inf', 10),
  loaded('gauge', 'avg.metric5b', {}, 'Inf 0 Inf -Inf', 10),
  loaded('gauge', 'avg.metric6', {}, '1 NaN 2', 10),
  loaded('gauge', 'avg.metric8', {}, '9.988465674311579e+307 9.988465674311579e+307', 10),
  loaded('gauge', 'avg.metric9', {}, '-9.988465674311579e+307 -9.988465674311579e+307 -9.988465674311579e+307', 10),
  loaded('gauge', 'avg.metric10', {}, '-9.988465674311579e+307 9.988465674311579e+307', 10),
  loaded('gauge', 'sum.metric', {}, '1 1e100 1 -1e100', 10),
  loaded('gauge', 'quantile.data', { test: 'two samples' }, '0 1', 10),
  loaded('gauge', 'quantile.data', { test: 'three samples' }, '0 1 2', 10),
  loaded('gauge', 'quantile.data', { test: 'uneven samples' }, '0 1 4', 10),
  loaded('gauge', 'extremes.data', { type: 'numbers' }, '2 0 3', 10),
  loaded('gauge', 'extremes.data', { type: 'some_nan' }, '2 0 NaN', 10),
  loaded('gauge', 'extremes.data', { type: 'some_nan2' }, '2 NaN 1', 10),
  loaded('gauge', 'extremes.data', { type: 'some_nan3' }, 'NaN 0 1', 10),
  loaded('gauge', 'extremes.data', { type: 'only_nan' }, 'NaN NaN NaN', 10),
];

const samples = (two: number, three: number, uneven: number) => ({
  'two samples': two,
  'three samples': three,
  'uneven samples': uneven,
});
const one = (value: number | string | null) => ({ '': value });

export const FUNCTION_ANSWERS: readonly Expected[] = [
  {
    query: 'metric increase.http_requests_total | promincrease 50m | sum by path',
    at: 50,
    rows: { '/foo': 100, '/bar': 160, '/dings': 100, '/bumms': 100 },
  },
  {
    query: 'metric increase.http_requests_total | promincrease 100m | sum by path',
    at: 50,
    rows: { '/foo': 100, '/bar': 162, '/dings': 105, '/bumms': 101 },
  },
  { query: 'metric reset.http_requests_total | promincrease 30m | sum', at: 30, rows: one(7) },
  { query: 'metric testcounter_reset_middle_total | promrate 50m | sum', at: 50, rows: one(0.08) },
  { query: 'metric testcounter_reset_end_total | promrate 5m | stats n=count()', at: 50, rows: one(0) },
  { query: 'metric testcounter_reset_end_total | promrate 6m | sum', at: 50, rows: one(0) },
  { query: 'metric calculate_rate_window_total | promrate 50m | sum', at: 50, rows: one(0.26666666666666666) },
  {
    query: 'metric calculate_rate_offset_total | offset 5m | promrate 10m | sum by x',
    at: 50,
    rows: { a: 0.03333333333333333, b: 0.06666666666666667 },
  },
  {
    query: 'metric testcounter_zero_cutoff_total | promrate 20m | sum by start',
    at: 10,
    rows: { '0m': 0.5, '1m': 0.55, '2m': 0.6, '3m': 0.6, '4m': 0.6, '5m': 0.6 },
  },
  {
    query: 'metric testcounter_zero_cutoff_total | promrate 20m | sum by start',
    at: 50,
    rows: { '0m': 0.6, '1m': 0.6, '2m': 0.6, '3m': 0.6, '4m': 0.6, '5m': 0.6 },
  },
  {
    query: 'metric irate.http_requests_total | irate 50m | sum by path',
    at: 50,
    rows: { '/foo': 1 / 30, '/bar': 1 / 30 },
  },
  { query: 'metric irate.http_requests_total | irate 50m | sum by path', at: 30, rows: { '/foo': 1 / 30, '/bar': 0 } },
  { query: 'metric irate.http_requests_nan | irate 901s | max', at: 10, rows: one('NaN') },
  { query: 'metric irate.http_requests_nan | irate 901s | max', at: 15, rows: one('NaN') },
  { query: 'metric irate.http_requests_nan | irate 901s | max', at: 20, rows: one(0.02) },
  { query: 'metric delta.http_requests | delta 21m | sum by path', at: 21, rows: { '/foo': 200, '/bar': -200 } },
  { query: 'metric deriv.http_requests_total | deriv 50m | max', at: 50, rows: one(0.26666666666666666) },
  {
    query: 'metric deriv.testcounter_reset_middle_total | deriv 100m | max',
    at: 50,
    rows: one(0.010606060606060607),
  },
  { query: 'metric deriv.http_requests_inf | deriv 100m | max', at: 59, rows: one('NaN') },
  { query: 'metric deriv.disk | deriv 50m | max', at: 50, rows: one(0) },
  { query: 'metric deriv.disk | predict 1h over 50m | max', at: 50, rows: one(541165879296.1) },
  // X/s = [300 … 3000], Y = [10, 20, 30, 40, 0, 10, 20, 30, 40, 50]
  { query: 'metric avg.metric | avg', at: 2, rows: one(3) },
  { query: 'metric avg.metric5 | avg', at: 2, rows: one('Infinity') },
  { query: 'metric avg.metric5b | avg', at: 2, rows: one('NaN') },
  { query: 'metric avg.metric5 | sum', at: 2, rows: one('Infinity') },
  { query: 'metric avg.metric5b | sum', at: 2, rows: one('NaN') },
  { query: 'metric avg.metric6 | avg', at: 2, rows: one('NaN') },
  { query: 'metric avg.metric8 | avg', at: 2, rows: one(9.988465674311579e307) },
  { query: 'metric avg.metric9 | avg', at: 2, rows: one(-9.988465674311579e307) },
  { query: 'metric avg.metric10 | avg', at: 2, rows: one(0) },
  { query: 'metric sum.metric | sum', at: 2, rows: one(2) },
  { query: 'metric sum.metric | avg', at: 2, rows: one(0.5) },
  { query: 'metric quantile.data | stats q=quantile(value, 0) by test', at: 2, rows: samples(0, 0, 0) },
  { query: 'metric quantile.data | stats q=quantile(value, 0.5) by test', at: 2, rows: samples(0.5, 1, 1) },
  { query: 'metric quantile.data | stats q=quantile(value, 0.75) by test', at: 2, rows: samples(0.75, 1.5, 2.5) },
  { query: 'metric quantile.data | stats q=quantile(value, 0.8) by test', at: 2, rows: samples(0.8, 1.6, 2.8) },
  { query: 'metric quantile.data | stats q=quantile(value, 1) by test', at: 2, rows: samples(1, 2, 4) },
  {
    query: 'metric extremes.data | max by type',
    at: 2,
    rows: { numbers: 3, some_nan: 2, some_nan2: 2, some_nan3: 1, only_nan: 'NaN' },
  },
  {
    query: 'metric extremes.data | min by type',
    at: 2,
    rows: { numbers: 0, some_nan: 0, some_nan2: 1, some_nan3: 0, only_nan: 'NaN' },
  },
  { query: 'metric deriv.testcounter_reset_middle_total | predict 1h over 50m | max', at: 50, rows: one(70) },
  {
    query: 'metric deriv.testcounter_reset_middle_total | predict 1h over 55m | max',
    at: 50,
    rows: one(76.81818181818181),
  },
];
