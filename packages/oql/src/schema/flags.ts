import type { Context } from '../check/context.ts';
import { FLAG_SOURCE } from '../check/enumeration.ts';
import { liftRelation } from '../check/lift.ts';
import type { Relation, Rows } from '../check/relation.ts';
import { keep, optional, zeroId } from '../check/store.ts';
import { type Definition, type Plan, type Scan, scanColumn, type Window } from '../plan/plan.ts';
import { aggregate, type ColumnId, column, type Sql, sql, text } from '../sql/sql.ts';
import { enumerated, id, optionalText, plain } from './fields.ts';
import { type Intrinsic, intrinsicsOf, type Read, signalRelation } from './rows.ts';
import { SPANS } from './spans.ts';

export const FLAG_FIELDS: Readonly<Record<string, Intrinsic>> = {
  time: plain('time', 'timestamp', 'When the flag was evaluated; for evaluations that are only counted, the second.'),
  flag: plain('flag', 'string', 'The key of the flag.', 'order key'),
  variant: optionalText('variant', 'The served variant; null if the evaluation failed.'),
  reason: optionalText('reason', 'The reason in OpenTelemetry terms, such as `targeting_match` or `split`.'),
  version: optionalText('version', 'The version of the flag.'),
  unit: optionalText(
    'unit',
    'The unit that it was evaluated for: the context id; null if evaluations are only counted.',
  ),
  'unit.kind': optionalText('context_kind', 'The attribute whose value is the unit; null for the targeting key.'),
  tracked: plain('tracked', 'bool', 'Whether it belongs to a ramp, a guarded release or an experiment.'),
  trace_id: id('trace_id', 16, true, 'The trace in which it was evaluated.', 'bloom filter of trace_id'),
  span_id: id('span_id', 8, true, 'The span in which it was evaluated.'),
  source: enumerated('source', FLAG_SOURCE, 'What recorded it: server (it answered) or otlp (the client reported it).'),
  'service.name': optionalText('service', 'The service that reported it.'),
  provider: optionalText('provider', 'The provider that evaluated it, if a client reported it.'),
  error: optionalText('error', 'The kind of error, if the evaluation failed.'),
  environment: optionalText('environment', 'The environment of the evaluation.'),
  weight: plain('evaluations', 'int', 'How many evaluations the row represents; aggregates count it that many times.'),
};

/** How long before an evaluation its trace may have begun. */
const TRACE_BEGAN_NS = 600_000_000_000n;

/** The evaluations of a flag: one row for each, joined with the root span of its trace as `span.…`. */
export function flagsRelation(flag: string, window: Window, ctx: Context): Relation {
  const scan: Scan = { op: 'scan', table: 'flag_events', window, columns: new Map() };
  const read: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const ofFlag = sql`(${read('flag')} = ${text(flag)} AND ${countsOnce(flag, read, window, ctx)})`;
  const evaluations: Plan = { op: 'filter', input: scan, predicate: ofFlag };
  const roots = rootsOf(evaluations, read('trace_id'), window, ctx);
  const plan: Plan = {
    op: 'join',
    mode: 'left',
    lookup: true,
    left: evaluations,
    right: roots.plan,
    on: [{ left: read('trace_id'), right: column(roots.key) }],
  };
  const intrinsics = intrinsicsOf(FLAG_FIELDS, read);
  const rows: Rows = {
    signal: 'flags',
    ...intrinsics,
    defaults: ['time', 'flag', 'variant', 'reason', 'version', 'unit', 'tracked', 'source', 'trace_id', 'weight'],
  };
  const time = intrinsics.intrinsic('time');
  return {
    plan,
    columns: [],
    window,
    sorted: false,
    rows,
    weight: read('evaluations'),
    weighs: 'evaluations',
    beside: new Map([['span', roots.relation]]),
    ...(time ? { time } : {}),
  };
}

/**
 * One source counts: what a client has reported wins over what the server has counted of its own answers, for the same
 * unit and version in the window, and for evaluations without a unit in the same minute.
 */
function countsOnce(flag: string, read: Read, window: Window, ctx: Context): Sql {
  const place = ['project', 'environment', 'version'] as const;
  const reported = (made: (read: Read) => Sql): Sql => {
    const scan: Scan = { op: 'scan', table: 'flag_events', window, columns: new Map() };
    const other: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
    const predicate = sql`(${other('flag')} = ${text(flag)} AND ${other('source')} = 'otlp')`;
    const columns: Definition[] = [...place.map(other), made(other)].map((value) => ({ id: ctx.fresh(), value }));
    const plan: Plan = { op: 'extend', input: { op: 'filter', input: scan, predicate }, columns };
    return { kind: 'query', plan, columns: columns.map((one) => one.id) };
  };
  const minute = (of: Read) => sql`toStartOfMinute(${of('time')})`;
  // The answer of a server and the report of its client may lie on both sides of a full minute.
  const minutesAround = (of: Read) =>
    sql`arrayJoin([toStartOfMinute(${of('time')} - toIntervalSecond(5)), toStartOfMinute(${of('time')} + toIntervalSecond(5))])`;
  const unit = (of: Read) => of('unit');
  const [project, environment, version] = [read('project'), read('environment'), read('version')];
  const isReported = (what: (of: Read) => Sql, as = what) =>
    sql`(${project}, ${environment}, ${version}, ${what(read)}) IN ${reported(as)}`;
  return sql`(${read('source')} = 'otlp' OR NOT if(${read('unit')} = '', ${isReported(minute, minutesAround)}, ${isReported(unit)}))`;
}

/** The root span of each trace of the rows; if it has not arrived, the first span. */
function rootsOf(evaluations: Plan, trace: Sql, window: Window, ctx: Context) {
  const began = window.fromNs > TRACE_BEGAN_NS ? window.fromNs - TRACE_BEGAN_NS : 0n;
  const spans = signalRelation(SPANS, { fromNs: began, toNs: window.toNs }, ctx);
  const order = sql`(${spans.read('parent_span_id')} != ${zeroId(8)}, ${spans.read('time')})`;
  const key: ColumnId = ctx.fresh();
  const wanted: ColumnId = ctx.fresh();
  const traces: Plan = { op: 'extend', input: evaluations, columns: [{ id: wanted, value: trace }] };
  const ofTraces = sql`(${spans.read('trace_id')} IN ${{ kind: 'query', plan: traces, columns: [wanted] }})`;
  const aggregates: Definition[] = [];
  const plan: Plan = {
    op: 'aggregate',
    input: { op: 'filter', input: spans.plan, predicate: ofTraces },
    keys: [{ id: key, value: spans.read('trace_id') }],
    aggregates,
  };
  const relation = liftRelation(spans, (value) => {
    const kept = optional(keep(value), value);
    const root = ctx.fresh();
    // Within a tuple, since `argMin` passes over what is null.
    const ofRoot = aggregate('argMin', [sql`tuple(${kept.sql})`, order]);
    aggregates.push({ id: root, value: sql`tupleElement(${ofRoot}, 1)` });
    return kept.restore(column(root));
  });
  return { plan, key, relation };
}
