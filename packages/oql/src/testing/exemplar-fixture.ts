import { SERIES } from './metric-fixture.ts';
import { type FixtureTable, NEIGHBOURS, rows, START, TENANT, TENANT_STRUCTURE } from './world.ts';

const [LATENCY] = SERIES.filter(({ metric }) => metric === 'latency');

/** Every tenth minute has one exemplar of the first series of `latency`, with the trace of its minute. */
export const EXEMPLARS = [0, 10, 20, 30, 40, 50].map((minute) => ({
  ...TENANT,
  metric: 'latency',
  series: LATENCY?.series ?? 0,
  time: Number(START / 1_000_000n) + minute * 60_000,
  value: minute * 10 + 5,
  trace_id: (0xabc000 + minute).toString(16).padStart(32, '0'),
  span_id: (minute * 16 + 1).toString(16).padStart(16, '0'),
  attributes: { 'user.id': `u${minute % 7}` },
}));

const foreign = NEIGHBOURS.flatMap((tenant) =>
  EXEMPLARS.map((exemplar) => ({ ...exemplar, ...tenant, attributes: { 'user.id': 'canary' } })),
);

export const EXEMPLAR_TABLES: readonly FixtureTable[] = [
  {
    insert: `INSERT INTO exemplars (workspace, project, environment, retention_days, metric, series, time, value, trace_id, span_id, attributes)
      SELECT workspace, project, environment, 3650, metric, series, fromUnixTimestamp64Milli(time, 'UTC'), value, toFixedString(unhex(trace_id), 16),
      toFixedString(unhex(span_id), 8), attributes FROM format(JSONEachRow, '${TENANT_STRUCTURE}, metric String, series UInt64, time Int64, value Float64,
      trace_id String, span_id String, attributes Map(String, String)', {data})`,
    rows: rows([...EXEMPLARS, ...foreign]),
  },
];
