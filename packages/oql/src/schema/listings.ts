import type { Context } from '../check/context.ts';
import { METRIC_KIND, TEMPORALITY } from '../check/enumeration.ts';
import type { Column, Relation } from '../check/relation.ts';
import { store } from '../check/store.ts';
import type { Value } from '../check/value.ts';
import { type Definition, type Plan, type Scan, scanColumn, type Table, type Window } from '../plan/plan.ts';
import { aggregate, column, type Sql, sql } from '../sql/sql.ts';
import type { Read } from './rows.ts';
import { sentLetters, sentTypes } from './sent-types.ts';

/** Columns of `metrics`: what each is. */
export const METRIC_COLUMNS: Readonly<Record<string, string>> = {
  name: 'The name of the metric, for use in `metric NAME`.',
  kind: 'gauge, sum, histogram, exponential_histogram or summary.',
  temporality: 'Whether values are totals (cumulative) or differences (delta).',
  monotonic: 'Whether it has a sum that only increases.',
  unit: 'The unit of the values.',
  description: 'The description that the source sent.',
  services: 'The services that send it.',
  series: 'How many series it has.',
};

/** Columns of `fields`: what each is. */
export const FIELD_COLUMNS: Readonly<Record<string, string>> = {
  signal: 'Its source: logs, spans, metric or profiles.',
  scope: 'field (every row has it), attribute or resource.',
  name: 'Its name; read a resource attribute as `resource.NAME`.',
  types:
    'The types that its values were sent with, the most frequent first for resource attributes and for the attributes of metrics and profiles. Those are read from at most a million rows of each source in the window; a field that is not among them is `string`.',
  rows: 'How many rows have it; for metrics, how many series.',
  distinct_values: 'The approximate number of distinct values.',
};

/** The metrics that have had series in a window: one row for each name, kind and temporality. */
export function metricNames(window: Window, ctx: Context): Relation {
  return listing('metric_series', window, ctx, (read) => ({
    keys: {
      name: text(read('metric')),
      kind: member(METRIC_KIND, read('kind')),
      temporality: member(TEMPORALITY, read('temporality')),
    },
    aggregates: {
      monotonic: { type: 'bool', sql: aggregate('max', [read('monotonic')]), nullable: false },
      unit: text(aggregate('any', [read('unit')])),
      description: text(aggregate('any', [read('description')])),
      services: {
        type: 'array',
        sql: sql`arraySort(${aggregate('groupUniqArray', [read('service')])})`,
        nullable: false,
      },
      series: { type: 'int', sql: aggregate('uniqExact', [read('series')]), nullable: false },
    },
  }));
}

/** The fields and attributes that have occurred in a window, as the roll-up of fields counts them. */
export function fieldNames(window: Window, ctx: Context): Relation {
  const [types, top] = [ctx.fresh(), ctx.fresh()];
  const listed = listing('field_usage', window, ctx, (read) => ({
    keys: {
      signal: text(sql`if(${read('signal')} = 'metrics', 'metric', toString(${read('signal')}))`),
      scope: text(read('scope')),
      name: text(read('name')),
    },
    aggregates: {
      rows: { type: 'int', sql: aggregate('sum', [read('rows')]), nullable: false },
      distinct_values: { type: 'int', sql: sql`uniqCombinedMerge(12)(${read('values')})`, nullable: false },
    },
    hidden: [
      { id: types, value: sql`arraySort(${aggregate('groupUniqArray', [read('type')])})` },
      { id: top, value: sql`approx_top_sumMerge(50, 150)(${read('top')})` },
    ],
  }));
  const letters = sentLetters(window, ctx);
  const keyOf = (name: string) => listed.columns.find((one) => one.name === name)?.value.sql ?? sql`''`;
  const joined: Plan = {
    op: 'join',
    mode: 'left',
    lookup: true,
    left: listed.plan,
    right: letters.plan,
    on: [
      { left: keyOf('signal'), right: letters.signal },
      { left: keyOf('scope'), right: letters.scope },
      { left: keyOf('name'), right: letters.name },
    ],
  };
  // Not stored in a column: a query that does not read it needs no join.
  const sent = sql`if(empty(${letters.letters}), ${column(types)}, ${sentTypes(letters.letters, column(top))})`;
  const [signal, scope, name, ...counts] = listed.columns;
  const typed: Column = { name: 'types', value: { type: 'array', sql: sent, nullable: false } };
  return {
    ...listed,
    plan: joined,
    columns: [...(signal && scope && name ? [signal, scope, name] : []), typed, ...counts],
  };
}

interface Listed {
  readonly keys: Readonly<Record<string, Value>>;
  readonly aggregates: Readonly<Record<string, Value>>;
  /** Aggregates that are no columns of the listing. */
  readonly hidden?: readonly Definition[];
}

function listing(table: Table, window: Window, ctx: Context, listed: (read: Read) => Listed): Relation {
  const scan: Scan = { op: 'scan', table, window, columns: new Map() };
  const { keys, aggregates, hidden = [] } = listed((name) => column(scanColumn(scan, name, ctx.fresh)));
  const columns: Column[] = [];
  const stored = (values: Readonly<Record<string, Value>>): Definition[] =>
    Object.entries(values).map(([name, value]) => {
      const kept = store(value, ctx.fresh);
      columns.push({ name, value: kept.value });
      return kept.definition;
    });
  const plan: Plan = {
    op: 'aggregate',
    input: scan,
    keys: stored(keys),
    aggregates: [...stored(aggregates), ...hidden],
  };
  return { plan, columns, window, sorted: false, keys: Object.keys(keys) };
}

function text(value: Sql): Value {
  return { type: 'string', sql: sql`toString(${value})`, nullable: false };
}

function member(of: typeof METRIC_KIND, code: Sql): Value {
  return { type: 'string', sql: of.text(code), nullable: false, enumeration: { of, code } };
}
