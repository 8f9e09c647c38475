import type { Context } from '../check/context.ts';
import type { Relation, Rows } from '../check/relation.ts';
import { store, zeroId } from '../check/store.ts';
import type { Value } from '../check/value.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import { signalRelation } from './rows.ts';
import { SPANS } from './spans.ts';

interface TraceField {
  readonly doc: string;
  readonly value: (spans: Spans) => Value;
}

/** Reads a column of the spans of a trace. */
interface Spans {
  readonly read: (name: string) => Sql;
  /** Makes a column of the trace of an aggregate of its spans. */
  readonly aggregated: (value: Sql) => Sql;
}

const begin = ({ read, aggregated }: Spans) => aggregated(aggregate('min', [read('time')]));
const end = ({ read, aggregated }: Spans) =>
  aggregated(aggregate('max', [sql`(${read('time')} + toIntervalNanosecond(${read('duration')}))`]));
/** Of the root; where that is not in the window, of the first span. */
const ofRoot =
  (name: string) =>
  ({ read, aggregated }: Spans): Value => {
    const order = sql`(${read('parent_span_id')} != ${zeroId(8)}, ${read('time')})`;
    return { type: 'string', sql: aggregated(aggregate('argMin', [read(name), order])), nullable: false };
  };

export const TRACE_FIELDS: Readonly<Record<string, TraceField>> = {
  time: {
    doc: 'When its first span started.',
    value: (spans) => ({ type: 'timestamp', sql: begin(spans), nullable: false }),
  },
  end: {
    doc: 'When its last span ended.',
    value: (spans) => ({ type: 'timestamp', sql: end(spans), nullable: false }),
  },
  duration: {
    doc: 'From the start of its first span to the end of its last span.',
    value: (spans) => ({
      type: 'duration',
      sql: sql`(toUnixTimestamp64Nano(${end(spans)}) - toUnixTimestamp64Nano(${begin(spans)}))`,
      nullable: false,
    }),
  },
  'service.name': { doc: 'The service of its root.', value: ofRoot('service') },
  name: { doc: 'The name of its root.', value: ofRoot('name') },
  spans: {
    doc: 'The number of spans.',
    value: ({ aggregated }) => ({ type: 'int', sql: aggregated(aggregate('count', [])), nullable: false }),
  },
  errors: {
    doc: 'The number of failed spans.',
    value: ({ read, aggregated }) => ({
      type: 'int',
      sql: aggregated(aggregate('countIf', [sql`(${read('status')} = 'error')`])),
      nullable: false,
    }),
  },
  services: {
    doc: 'The services in the trace.',
    value: ({ read, aggregated }) => ({
      type: 'array',
      sql: aggregated(sql`arraySort(${aggregate('groupUniqArray', [read('service')])})`),
      nullable: false,
    }),
  },
};

/** One row for each trace that has a span in the window; aggregates are about its spans: `any(status == error)`. */
export function tracesRelation(window: Window, ctx: Context): Relation {
  const spans = signalRelation(SPANS, window, ctx);
  const read = (name: string): Sql => spans.read(name);
  const aggregates: Definition[] = [];
  const aggregated = (value: Sql): Sql => {
    const id = ctx.fresh();
    aggregates.push({ id, value });
    return column(id);
  };
  const key = store(
    spans.rows.intrinsic('trace_id') ?? { type: 'string', sql: read('trace_id'), nullable: false },
    ctx.fresh,
  );
  const plan: Plan = { op: 'aggregate', input: spans.plan, keys: [key.definition], aggregates };
  const known = new Map<string, Value>([['trace_id', key.value]]);
  const intrinsic = (name: string): Value | undefined => {
    const value =
      known.get(name) ??
      (Object.hasOwn(TRACE_FIELDS, name) ? TRACE_FIELDS[name]?.value({ read, aggregated }) : undefined);
    if (value) known.set(name, value);
    return value;
  };
  const rows: Rows = {
    signal: 'traces',
    intrinsic,
    intrinsics: Object.keys(TRACE_FIELDS),
    indexOf: (name) => (name === 'trace_id' ? 'bloom filter of trace_id' : null),
    docOf: (name) => TRACE_FIELDS[name]?.doc ?? '',
    defaults: ['time', 'duration', 'service.name', 'name', 'spans', 'errors', 'services', 'trace_id'],
    subject: 'duration',
    inner: { relation: spans, aggregated },
  };
  const time = intrinsic('time');
  // A trace is seen where its most often kept span is: the smallest weight of its spans.
  const weight = aggregated(aggregate('min', [read('weight')]));
  return { plan, columns: [], window, sorted: false, rows, weight, ...(time ? { time } : {}) };
}
