import { UNKNOWN_START } from '@fanion/series';
import fc from 'fast-check';
import type { RecentSeries } from '../recent/index.ts';
import { type FixtureTable, rows, START, TENANT } from './world.ts';

export const START_MS = Number(START / 1_000_000n);
const DAY_MS = 86_400_000;
const TODAY = Math.floor(START_MS / DAY_MS);
const WORKSPACE = TENANT.workspace;

/** A series, and what the tables have of it beside. */
export interface WorldSeries extends RecentSeries {
  readonly id: bigint;
  readonly kind: string;
}

/** A metric with series of every sort that may be answered from memory. Times count from {@link START_MS}. */
export interface RecentWorld {
  readonly metric: string;
  readonly series: readonly WorldSeries[];
}

/** Texts that sort and group in unexpected ways. */
export const LABEL_TEXTS = [
  ...['x', 'y', '', '5', '5.0', '10', '9', '-3', '1e2', '.5', '007', '10.0.0.1:80', 'infra', 'nancy', '5xx', ' 5'],
  ...['Übung', '😀', '\uffee', 'true', '+1', '1.', '٣', '0x10', '1_000', 'e5', '-', '1e'],
];
export const LABELS = ['job', 'code', 'a.b', 'http.method', 'http.request.method'] as const;

const label = fc.record({
  key: fc.constantFrom(...LABELS),
  text: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('x', 'y') }, fc.constantFrom(...LABEL_TEXTS)),
  letter: fc.constantFrom('s', 's', 's', 'n', 'f', 'b'),
});
const labels = fc.uniqueArray(label, { maxLength: 4, selector: ({ key }) => key });

const steps = fc.array(
  fc.record({
    /** Hundredths of the usual distance. */
    gap: fc.oneof({ weight: 6, arbitrary: fc.constant(100) }, fc.integer({ min: 1, max: 900 })),
    grows: fc.integer({ min: 0, max: 4000 }),
    event: fc.oneof({ weight: 20, arbitrary: fc.constant('none') }, fc.constantFrom('reset', 'restart', 'lower')),
  }),
  { minLength: 2, maxLength: 120, size: 'max' },
);

const oneSeries = fc.record({
  kind: fc.constantFrom('sum', 'sum', 'sum', 'gauge'),
  attributes: labels,
  resource: labels,
  service: fc.constantFrom('shop', 'cart', ''),
  project: fc.constantFrom(1, 1, 1, 2),
  environment: fc.constantFrom('production', 'production', 'staging'),
  /** Whether times have nanoseconds, and points are within a millisecond. */
  isFine: fc.constantFrom(false, false, true),
  everyMs: fc.constantFrom(1_000, 5_000, 15_000, 60_000, 7_919),
  firstSeconds: fc.integer({ min: -1_500, max: 1_500 }),
  first: fc.constantFrom(0, 1, 1_000, 123_456_789),
  starts: fc.constantFrom('unknown', 'first', 'earlier'),
  steps,
});

export const recentWorld = fc.array(oneSeries, { maxLength: 14, size: 'max' }).map((series) => series.map(seriesOf));

function seriesOf(of: typeof oneSeries extends fc.Arbitrary<infer T> ? T : never): Omit<WorldSeries, 'id'> {
  /** Times in nanoseconds since the start. */
  const points: [time: number, value: number, start: number][] = [];
  let time = of.firstSeconds * 1e9;
  let value: number = of.first;
  let start = of.starts === 'unknown' ? UNKNOWN_START : of.starts === 'first' ? time : time - 3600e9;
  for (const { gap, grows, event } of of.steps) {
    // Eighths, which are the same after they were written as text.
    const grown = of.kind === 'gauge' ? (grows - 2_000) / 8 : grows / 8;
    if (event === 'reset') value = grown;
    else if (event === 'lower') value = Math.floor(value / 2);
    else value += grown;
    if (event === 'restart' && start !== UNKNOWN_START) start = time;
    points.push([time, value, start]);
    time += Math.max(1, of.isFine ? of.everyMs * gap : Math.round((of.everyMs * gap) / 100) * 1e6);
  }
  const typesOf = (list: typeof of.attributes) =>
    list.flatMap(({ key, letter }) => (letter === 's' ? [] : [`\0${key}\x01${letter}`])).join('');
  const textsOf = (list: typeof of.attributes) => new Map(list.map(({ key, text }) => [key, text]));
  return {
    project: of.project,
    kind: of.kind,
    labels: {
      attributes: { texts: textsOf(of.attributes), types: typesOf(of.attributes) },
      resource: { texts: textsOf(of.resource), types: typesOf(of.resource) },
      own: {
        texts: new Map([
          ['service', of.service],
          ['environment', of.environment],
        ]),
        types: '',
      },
    },
    count: points.length,
    times: Float64Array.from(points, ([at]) => at / 1e6),
    values: Float64Array.from(points, ([, one]) => one),
    starts: Float64Array.from(points, ([, , since]) => (since === UNKNOWN_START ? since : since / 1e6)),
  };
}

const tenant = 'workspace UInt32, project UInt32, environment String, metric String, series UInt64';

/** As text, since it has more digits than a number. */
function nanosecondsOf(sinceStart = 0): string {
  if (sinceStart === UNKNOWN_START) return '0';
  return String(START + BigInt(Math.round(sinceStart * 1e6)));
}

/** The tables with these metrics. */
export function recentTables(worlds: readonly RecentWorld[]): readonly FixtureTable[] {
  const all = worlds.flatMap(({ metric, series }) => series.map((one) => ({ metric, one })));
  const key = ({ metric, one }: (typeof all)[number]) => ({
    workspace: WORKSPACE,
    project: one.project,
    environment: one.labels.own.texts.get('environment'),
    metric,
    series: one.id,
  });
  return [
    {
      insert: `INSERT INTO metric_series (workspace, project, environment, retention_days, day, metric, series, kind, temporality, monotonic, unit, service, resource, attributes, resource_types, attribute_types)
        SELECT workspace, project, environment, 3650, toDate(day), metric, series, kind, temporality, kind = 'sum', '1', service, resource, attributes, resource_types, attribute_types
        FROM format(JSONEachRow, '${tenant}, day UInt16, kind String, temporality String, service String, resource Map(String, String), attributes Map(String, String), resource_types String, attribute_types String', {data})`,
      rows: rows(
        all.flatMap((of) =>
          [TODAY - 1, TODAY, TODAY + 1].map((day) => ({
            ...key(of),
            day,
            kind: of.one.kind,
            temporality: of.one.kind === 'gauge' ? 'unspecified' : 'cumulative',
            service: of.one.labels.own.texts.get('service'),
            resource: Object.fromEntries(of.one.labels.resource.texts),
            attributes: Object.fromEntries(of.one.labels.attributes.texts),
            resource_types: of.one.labels.resource.types,
            attribute_types: of.one.labels.attributes.types,
          })),
        ),
      ),
    },
    {
      insert: `INSERT INTO metric_points (workspace, project, environment, retention_days, metric, series, time, nanos, start_time, start_nanos, value)
        SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(intDiv(time, 1000000), 'UTC'), time % 1000000,
          fromUnixTimestamp64Milli(intDiv(start_time, 1000000), 'UTC'), start_time % 1000000, value
        FROM format(JSONEachRow, '${tenant}, time Int64, start_time Int64, value Float64', {data})`,
      rows: rows(
        all.flatMap((of) =>
          Array.from({ length: of.one.count }, (_, i) => ({
            ...key(of),
            time: nanosecondsOf(of.one.times[i]),
            start_time: nanosecondsOf(of.one.starts[i]),
            value: of.one.values[i] ?? 0,
          })),
        ),
      ),
    },
  ];
}

/** Numbered metrics and series. */
export function recentWorlds(seed: number, count: number): readonly RecentWorld[] {
  let id = 0n;
  return fc.sample(recentWorld, { seed, numRuns: count }).map((series, i) => ({
    metric: `m${i}`,
    series: series.map((one) => ({ ...one, id: ++id })),
  }));
}
