import { type FixtureTable, NEIGHBOURS, rows, START, TENANT, TENANT_STRUCTURE } from './world.ts';

const START_MS = Number(START / 1_000_000n);

export interface FlagEvent {
  readonly minute: number;
  readonly flag: string;
  readonly variant: string;
  readonly version: string;
  readonly unit: string;
  readonly trace: boolean;
  readonly source: 'server' | 'otlp';
  readonly evaluations: number;
}

const of = (minute: number) => ({ minute, flag: 'checkout-v2', variant: minute % 3 === 0 ? 'on' : 'off' });

/**
 * Each minute from minute 20 on, a client reports one evaluation of version 3 in the minute's trace. The server answered
 * the same ones and counted others: of version 2 in the first half of the hour, which no client reports, and of version 3.
 */
const EVENTS: readonly FlagEvent[] = Array.from({ length: 60 }, (_, minute): FlagEvent[] => {
  const unit = `u${minute % 8}`;
  const counted = { ...of(minute), unit: '', trace: false, source: 'server', evaluations: 4 } as const;
  const reported = { ...of(minute), version: '3', unit, trace: true, evaluations: 1 };
  return [
    ...(minute < 30 ? [{ ...counted, version: '2' }] : []),
    ...(minute >= 10 ? [{ ...counted, version: '3' }] : []),
    ...(minute >= 20 ? [{ ...reported, source: 'otlp' as const }] : []),
    ...(minute >= 10 ? [{ ...reported, source: 'server' as const }] : []),
    // A separate unit that only the server has seen.
    ...(minute === 50 ? [{ ...reported, unit: 'alone', trace: false, source: 'server' as const }] : []),
    { ...counted, flag: 'other', version: '1', variant: 'x' },
  ];
}).flat();

/** The events that count: where a client reported a unit and version, or a minute of counts, the server's are ignored. */
export const COUNTED = EVENTS.filter((event) => {
  if (event.source === 'otlp' || event.flag === 'other') return true;
  const reports = EVENTS.filter(
    ({ source, flag, version }) => source === 'otlp' && flag === event.flag && version === event.version,
  );
  return event.unit === ''
    ? !reports.some(({ minute }) => minute === event.minute)
    : !reports.some(({ unit }) => unit === event.unit);
});

const stored = [TENANT, ...NEIGHBOURS].flatMap((tenant) =>
  EVENTS.map(({ minute, trace, ...event }) => ({
    ...tenant,
    ...event,
    ...(tenant !== TENANT && { variant: 'canary' }),
    time: START_MS + minute * 60_000 + 30_000,
    trace_id: trace ? (0xabc000 + minute).toString(16).padStart(32, '0') : '',
  })),
);

export const FLAG_TABLES: readonly FixtureTable[] = [
  {
    insert: `INSERT INTO flag_events (workspace, project, environment, retention_days, time, flag, variant, reason, version, unit, tracked, trace_id, source, evaluations)
      SELECT workspace, project, environment, 3650, fromUnixTimestamp64Milli(time, 'UTC'), flag, variant, 'split', version, unit, unit != '', toFixedString(unhex(trace_id), 16), source, evaluations
      FROM format(JSONEachRow, '${TENANT_STRUCTURE}, time Int64, flag String, variant String, version String, unit String, trace_id String, source String, evaluations UInt64', {data})`,
    rows: rows(stored),
  },
];
