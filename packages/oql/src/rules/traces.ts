import { type Plan, type Scan, scanColumn, type Window } from '../plan/plan.ts';
import { all, type ColumnId, column, moment, type Sql, sql } from '../sql/sql.ts';

/** The spans for which values are looked up. */
export interface AskedSpans {
  readonly window: Window;
  /** The query for their traces; absent if these are all traces of the window. */
  readonly traces: Sql | undefined;
  /** Reads a column of these spans. */
  readonly span: (name: string) => Sql;
  readonly fresh: () => ColumnId;
}

export interface LookedUp {
  readonly plan: Plan;
  /** The column of the span that each of the join's columns is compared with. */
  readonly on: readonly { readonly name: string; readonly right: Sql }[];
  /** The value of a looked-up column, also for spans without a match. */
  readonly value: (name: string) => Sql;
}

export type LookUp = (asked: AskedSpans) => LookedUp;

const DAY_NS = 86_400_000_000_000n;
/** The latest time that can be rounded to five minutes (DateTime, the year 2106). */
const LAST_NS = 4_294_900_000_000_000_000n;

/**
 * All spans of the requested traces: from a day before the window until the last of them has ended. The trace index has the
 * times at which these traces began and ended, so that only the necessary rows are read.
 */
export function wholeTraces({ window, traces, fresh }: AskedSpans): {
  readonly read: (name: string) => Sql;
  readonly filtered: (conditions: readonly Sql[]) => Plan;
} {
  const fromNs = window.fromNs > DAY_NS ? window.fromNs - DAY_NS : 0n;
  const scan: Scan = { op: 'scan', table: 'spans', window: { fromNs, toNs: LAST_NS }, columns: new Map() };
  const read = (name: string) => column(scanColumn(scan, name, fresh));
  const bounds = boundsOf({ fromNs, toNs: window.toNs }, window, traces, fresh);
  const time = read('time');
  const conditions = [
    sql`(toStartOfFiveMinutes(${time}) >= toStartOfFiveMinutes(${bounds}.1))`,
    sql`(toStartOfFiveMinutes(${time}) <= toStartOfFiveMinutes(${bounds}.2))`,
    ...(traces ? [sql`(${read('trace_id')} IN ${traces})`] : []),
  ];
  return {
    read,
    filtered: (more) => ({ op: 'filter', input: scan, predicate: all([...conditions, ...more]) }),
  };
}

/** When the traces began and ended; includes the window, since the index may lag slightly. */
function boundsOf(days: Window, window: Window, traces: Sql | undefined, fresh: () => ColumnId): Sql {
  const index: Scan = { op: 'scan', table: 'trace_index', window: days, columns: new Map() };
  const read = (name: string) => column(scanColumn(index, name, fresh));
  const [from, to] = [moment(window.fromNs), moment(window.toNs)];
  const asked = traces
    ? sql`(${read('trace_id')} IN ${traces})`
    : sql`(${read('end')} >= ${from} AND ${read('start')} < ${to})`;
  const id = fresh();
  const began = sql`min(${read('start')})`;
  const value = sql`tuple(if(count() = 0, ${from}, least(${began}, ${from})), least(greatest(max(${read('end')}), ${to}), ${moment(LAST_NS)}))`;
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: index, predicate: asked },
    keys: [],
    aggregates: [{ id, value }],
  };
  return { kind: 'query', plan, columns: [id] };
}

export function beginOf(read: (name: string) => Sql): Sql {
  return sql`toUnixTimestamp64Nano(${read('time')})`;
}

export function endOf(read: (name: string) => Sql): Sql {
  return sql`(toUnixTimestamp64Nano(${read('time')}) + toInt64(${read('duration')}))`;
}
