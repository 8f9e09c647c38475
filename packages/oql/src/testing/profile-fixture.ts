import { type FixtureTable, NEIGHBOURS, rows, START, TENANT, TENANT_STRUCTURE } from './world.ts';

const START_MS = Number(START / 1_000_000n);
const STACKS = [
  { stack_id: 1, frames: ['main', 'serve', 'parse'] },
  { stack_id: 2, frames: ['main', 'serve', 'query', 'parse'] },
] as const;

/** Each minute has 10 ms in the first stack and 30 ms in the second; the second belongs to the minute's trace. */
const samples = [TENANT, ...NEIGHBOURS].flatMap((tenant) =>
  Array.from({ length: 60 }, (_, minute) =>
    STACKS.map(({ stack_id }) => ({
      ...tenant,
      time: START_MS + minute * 60_000,
      service: tenant === TENANT ? 'checkout' : 'canary',
      stack_id,
      value: stack_id === 1 ? 10_000_000 : 30_000_000,
      trace_id: stack_id === 1 ? '' : (0xabc000 + minute).toString(16).padStart(32, '0'),
    })),
  ).flat(),
);
const stacks = [TENANT, ...NEIGHBOURS].flatMap((tenant) => STACKS.map((stack) => ({ ...tenant, ...stack })));

export const PROFILE_TABLES: readonly FixtureTable[] = [
  {
    insert: `INSERT INTO profile_samples (workspace, project, environment, retention_days, profile_type, service, time, stack_id, value, trace_id)
      SELECT workspace, project, environment, 3650, 'cpu:nanoseconds', service, fromUnixTimestamp64Milli(time, 'UTC'), stack_id, value, toFixedString(unhex(trace_id), 16)
      FROM format(JSONEachRow, '${TENANT_STRUCTURE}, time Int64, service String, stack_id UInt64, value Int64, trace_id String', {data})`,
    rows: rows(samples),
  },
  {
    insert: `INSERT INTO profile_stacks (workspace, project, environment, retention_days, day, stack_id, frames, files, lines)
      SELECT workspace, project, environment, 3650, toDate(fromUnixTimestamp64Milli(toInt64(${START_MS}), 'UTC')), stack_id, frames, arrayMap(f -> '', frames), arrayMap(f -> 0, frames)
      FROM format(JSONEachRow, '${TENANT_STRUCTURE}, stack_id UInt64, frames Array(String)', {data})`,
    rows: rows(stacks),
  },
];
