import type { Context } from '../check/context.ts';
import type { Relation, Rows } from '../check/relation.ts';
import { type Plan, type Scan, scanColumn, type Window } from '../plan/plan.ts';
import { column, sql, text } from '../sql/sql.ts';
import { attributeValue } from './attributes.ts';
import { id, optionalText, plain, RESOURCE } from './fields.ts';
import { seriesOf } from './metric-series.ts';
import { type Intrinsic, intrinsicsOf, type Read } from './rows.ts';

export const EXEMPLAR_FIELDS: Readonly<Record<string, Intrinsic>> = {
  time: plain('time', 'timestamp', 'When it was measured.', 'order key'),
  value: {
    doc: 'What was measured, in the unit of the metric.',
    value: (read) => ({
      type: 'float',
      sql: read('value'),
      nullable: false,
      integer: { sql: read('integer'), isExpected: false },
    }),
  },
  trace_id: id('trace_id', 16, true, 'The trace in which it was measured.'),
  span_id: id('span_id', 8, true, 'The span in which it was measured.'),
  unit: optionalText('unit', 'The unit of the values.'),
  'service.name': plain('service', 'string', 'The service that sent it.'),
  environment: optionalText('environment', 'The environment that sent it.'),
  series: {
    doc: 'Its series.',
    value: (read) => ({ type: 'string', sql: sql`toString(${read('series')})`, nullable: false }),
  },
  attributes: {
    doc: 'The attributes of its series, and those of the exemplar that the series does not have.',
    value: (read) => ({ type: 'map', sql: sql`(${attributesOf(read)}, ${typesOf(read)})`, nullable: false }),
  },
  resource: RESOURCE,
};

/** The single measurements that a metric has kept beside its points, each with its trace. */
export function exemplarsRelation(metric: string, window: Window, ctx: Context): Relation {
  const scan: Scan = { op: 'scan', table: 'exemplars', window, columns: new Map() };
  const own: Read = (name) => column(scanColumn(scan, name, ctx.fresh));
  const about = seriesOf([metric], window, ctx);
  const plan: Plan = {
    op: 'join',
    mode: 'inner',
    lookup: true,
    left: { op: 'filter', input: scan, predicate: sql`(${own('metric')} = ${text(metric)})` },
    right: about.plan,
    on: [{ left: own('series'), right: column(about.series) }],
  };
  const read: Read = (name) => {
    if (name === 'series_attributes') return column(about.columns.get('attributes') ?? about.series);
    if (name === 'series_types') return column(about.columns.get('attribute_types') ?? about.series);
    const known = name === 'attributes' || name === 'attribute_types' ? undefined : about.columns.get(name);
    return known === undefined ? own(name) : column(known);
  };
  const intrinsics = intrinsicsOf(EXEMPLAR_FIELDS, read);
  const rows: Rows = {
    signal: 'exemplars',
    ...intrinsics,
    defaults: ['time', 'value', 'service.name', 'trace_id', 'span_id', 'attributes', 'resource'],
    subject: 'value',
    attribute: (scope, keys) => {
      const maps = {
        signal: { kind: 'text', map: attributesOf(read), types: typesOf(read) },
        resource: { kind: 'text', map: read('resource'), types: read('resource_types') },
        scope: { kind: 'text', map: read('scope_attributes'), types: read('scope_types') },
      } as const;
      return attributeValue(maps, scope, keys);
    },
  };
  const time = intrinsics.intrinsic('time');
  return { plan, columns: [], window, sorted: false, rows, ...(time ? { time } : {}) };
}

/** The first entry of a name counts. */
function typesOf(read: Read) {
  return sql`concat(${read('attribute_types')}, ${read('series_types')})`;
}

function attributesOf(read: Read) {
  return sql`mapUpdate(${read('series_attributes')}, ${read('attributes')})`;
}
