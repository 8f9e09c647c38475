import { buckets, type Expected, loaded } from './notation.ts';

/**
 * Facts of Prometheus' own test of classic histograms (`promql/promqltest/testdata/histograms.test`, Apache-2.0,
 * https://github.com/prometheus/prometheus): its series and expected answers, for the parts that OQL can express. The
 * queries are ours.
 */
const positive = { start: 'positive' };
const negative = { start: 'negative' };
const of = (job: string, instance: string) => ({ job, instance });

export const HISTOGRAM_SERIES = [
  ...buckets('testhistogram', positive, { '0.1': '0+5x10', '.2': '0+7x10', '1e0': '0+11x10', '+Inf': '0+12x10' }),
  ...buckets('testhistogram', negative, { '-.2': '0+1x10', '-0.1': '0+2x10', '0.3': '0+2x10', '+Inf': '0+3x10' }),
  ...buckets('testhistogram2', {}, { '0': '0+0x10', '2': '0+1x10', '4': '0+2x10', '6': '0+3x10', '+Inf': '0+3x10' }),
  ...buckets('testhistogram3', positive, {
    '0': '0+0x10',
    '0.1': '0+5x10',
    '.2': '0+7x10',
    '1e0': '0+11x10',
    '+Inf': '0+11x10',
  }),
  ...buckets('testhistogram3', negative, {
    '-.25': '0+0x10',
    '-.2': '0+1x10',
    '-0.1': '0+2x10',
    '0.3': '0+2x10',
    '+Inf': '0+2x10',
  }),
  loaded('sum', 'testhistogram3_sum', positive, '0+33x10'),
  loaded('sum', 'testhistogram3_sum', negative, '0+8x10'),
  ...buckets('request_duration_seconds', of('job1', 'ins1'), { '0.1': '0+1x10', '0.2': '0+3x10', '+Inf': '0+4x10' }),
  ...buckets('request_duration_seconds', of('job1', 'ins2'), { '0.1': '0+2x10', '0.2': '0+5x10', '+Inf': '0+6x10' }),
  ...buckets('request_duration_seconds', of('job2', 'ins1'), { '0.1': '0+3x10', '0.2': '0+4x10', '+Inf': '0+6x10' }),
  ...buckets('request_duration_seconds', of('job2', 'ins2'), { '0.1': '0+4x10', '0.2': '0+7x10', '+Inf': '0+9x10' }),
  ...buckets('mixed', of('job1', 'ins1'), {
    '0.1': '0+1x10',
    '0.2': '0+1x10',
    '2e-1': '0+1x10',
    '2.0e-1': '0+1x10',
    '+Inf': '0+4x10',
  }),
  ...buckets('mixed', of('job1', 'ins2'), { '+inf': '0+0x10', '+Inf': '0+0x10' }),
  ...buckets('empty', of('job1', 'ins1'), { '0.1': '0x10', '0.2': '0x10', '+Inf': '0x10' }),
  ...buckets(
    'nonmonotonic',
    {},
    { '0.1': '0+2x10', '1': '0+1x10', '10': '0+5x10', '100': '0+4x10', '1000': '0+9x10', '+Inf': '0+8x10' },
  ),
  ...buckets('endless', {}, { '0.1': '0+2x10', '1': '0+3x10' }),
];

const two = (a: number, b: number) => ({ positive: a, negative: b });
const each = (a: number, b: number, c: number, d: number) => ({
  'job1,ins1': a,
  'job1,ins2': b,
  'job2,ins1': c,
  'job2,ins2': d,
});
const rate = (metric: string, over: string, ask: string) => `metric ${metric}_bucket | promrate ${over} | ${ask}`;
const requests = (level: number, by: string) =>
  rate('request_duration_seconds', '10m', `stats q=quantile(value, ${level})${by}`);

export const HISTOGRAM_ANSWERS: readonly Expected[] = [
  { query: rate('testhistogram', '10m', 'stats q=quantile(value, 0) by start'), at: 50, rows: two(0, -0.2) },
  { query: rate('testhistogram', '10m', 'stats q=quantile(value, 1) by start'), at: 50, rows: two(1, 0.3) },
  { query: rate('testhistogram', '10m', 'stats q=quantile(value, 0.2) by start'), at: 50, rows: two(0.048, -0.2) },
  { query: rate('testhistogram', '10m', 'stats q=quantile(value, 0.5) by start'), at: 50, rows: two(0.15, -0.15) },
  { query: rate('testhistogram', '10m', 'stats q=quantile(value, 0.8) by start'), at: 50, rows: two(0.72, 0.3) },
  { query: rate('testhistogram3', '10m', 'stats q=quantile(value, 0) by start'), at: 50, rows: two(0, -0.25) },
  { query: rate('testhistogram3', '10m', 'stats q=quantile(value, 0.25) by start'), at: 50, rows: two(0.055, -0.225) },
  { query: rate('testhistogram3', '10m', 'stats q=quantile(value, 0.75) by start'), at: 50, rows: two(0.45, -0.15) },
  { query: rate('testhistogram3', '10m', 'stats q=quantile(value, 1) by start'), at: 50, rows: two(1, -0.1) },
  {
    query: rate('testhistogram3', '10m', 'stats q=histogram_fraction(value, 0, 0.2) by start'),
    at: 50,
    rows: two(0.6363636363636364, 0),
  },
  { query: rate('testhistogram3', '10m', 'stats q=avg(value) by start'), at: 50, rows: two(3, 4) },
  {
    query: 'metric testhistogram3_bucket | promincrease 50m | stats q=sum(count) by start',
    at: 50,
    rows: two(110, 20),
  },
  { query: 'metric testhistogram3_bucket | increase | stats q=sum(value) by start', at: 55, rows: two(330, 80) },
  { query: rate('testhistogram2', '15m', `stats q=quantile(value, ${1 / 6})`), at: 47, rows: { '': 1 } },
  { query: rate('testhistogram2', '15m', 'stats q=quantile(value, 0.5)'), at: 47, rows: { '': 3 } },
  { query: rate('testhistogram2', '15m', `stats q=quantile(value, ${5 / 6})`), at: 47, rows: { '': 5 } },
  { query: rate('testhistogram2', '15m', 'stats q=histogram_fraction(value, 0, 4)'), at: 50, rows: { '': 2 / 3 } },
  { query: rate('testhistogram2', '15m', 'stats q=histogram_fraction(value, 0, 6)'), at: 50, rows: { '': 1 } },
  {
    query: rate('testhistogram2', '15m', 'stats q=histogram_fraction(value, 0, 3.5)'),
    at: 50,
    rows: { '': 0.5833333333333334 },
  },
  { query: requests(0.3, ''), at: 50, rows: { '': 0.075 } },
  { query: requests(0.5, ''), at: 50, rows: { '': 0.1277777777777778 } },
  { query: requests(0.3, ' by instance'), at: 50, rows: { ins1: 0.075, ins2: 0.075 } },
  { query: requests(0.5, ' by instance'), at: 50, rows: { ins1: 0.1333333333, ins2: 0.125 } },
  { query: requests(0.3, ' by job'), at: 50, rows: { job1: 0.1, job2: 0.0642857142857143 } },
  { query: requests(0.5, ' by job'), at: 50, rows: { job1: 0.14, job2: 0.1125 } },
  { query: requests(0.3, ' by job, instance'), at: 50, rows: each(0.11, 0.09, 0.06, 0.0675) },
  {
    query: requests(0.5, ' by job, instance'),
    at: 50,
    rows: each(0.15, 0.1333333333333333, 0.1, 0.1166666666666667),
  },
  // The same from growth without extrapolation, and point by point.
  {
    query: 'metric request_duration_seconds_bucket | increase | stats q=quantile(value, 0.5) by job',
    at: 55,
    rows: { job1: 0.14, job2: 0.1125 },
  },
  {
    query: 'metric request_duration_seconds_bucket | stats q=quantile(value, 0.5) by job',
    at: 55,
    rows: { job1: 0.14, job2: 0.1125 },
  },
  // A bound written in several ways is one bucket.
  {
    query: rate('mixed', '10m', 'stats q=quantile(value, 0.5) by job, instance'),
    at: 50,
    rows: { 'job1,ins1': 0.15, 'job1,ins2': null },
  },
  { query: rate('empty', '10m', 'stats q=quantile(value, 0.2)'), at: 50, rows: { '': null } },
  // A count that drops from one bound to the next is raised to the previous one.
  { query: rate('nonmonotonic', '10m', 'stats q=quantile(value, 0.01)'), at: 50, rows: { '': 0.0045 } },
  { query: rate('nonmonotonic', '10m', 'stats q=quantile(value, 0.5)'), at: 50, rows: { '': 8.5 } },
  { query: rate('nonmonotonic', '10m', 'stats q=quantile(value, 0.99)'), at: 50, rows: { '': 979.75 } },
  // Without the bucket +Inf there is no quantile.
  { query: rate('endless', '10m', 'stats q=quantile(value, 0.5)'), at: 50, rows: { '': null } },
];
