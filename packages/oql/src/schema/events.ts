import type { Context } from '../check/context.ts';
import type { Relation, Rows } from '../check/relation.ts';
import type { Value } from '../check/value.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { column } from '../sql/sql.ts';
import { attributeValue } from './attributes.ts';
import { signalRelation } from './rows.ts';
import { SPANS } from './spans.ts';

const OF_SPAN = ['trace_id', 'span_id', 'service.name', 'environment'];
export const EVENT_FIELDS: Readonly<Record<string, string>> = {
  time: 'When it happened.',
  name: 'What the event is called, such as `exception`.',
  attributes: 'All attributes of the event.',
  resource: 'All attributes of the resource.',
  trace_id: 'The trace of its span.',
  span_id: 'Its span.',
  'service.name': 'The service that sent it.',
  environment: 'The environment that it came from.',
};

/** One row for each event of the spans of the window; the fields of its span stand beside it, as `span.duration`. */
export function eventsRelation(window: Window, ctx: Context): Relation {
  const spans = signalRelation(SPANS, window, ctx);
  const columns: Definition[] = [];
  const unnested = (name: string) => {
    const id = ctx.fresh();
    columns.push({ id, value: spans.read(name) });
    return column(id);
  };
  const time: Value = { type: 'timestamp', sql: unnested('event_time'), nullable: false };
  const name: Value = { type: 'string', sql: unnested('event_name'), nullable: false };
  const map = unnested('event_attributes');
  const plan: Plan = { op: 'unnest', input: spans.plan, columns };
  const own: Readonly<Record<string, Value>> = { time, name, attributes: { type: 'map', sql: map, nullable: false } };
  const rows: Rows = {
    signal: 'events',
    intrinsics: Object.keys(EVENT_FIELDS),
    intrinsic: (field) =>
      Object.hasOwn(own, field)
        ? own[field]
        : OF_SPAN.includes(field) || field === 'resource'
          ? spans.rows.intrinsic(field)
          : undefined,
    indexOf: () => null,
    docOf: (field) => EVENT_FIELDS[field] ?? '',
    defaults: ['time', 'name', 'service.name', 'trace_id', 'span_id', 'attributes'],
    attribute: (scope, keys) => {
      const [resource, empty] = [spans.read('resource'), spans.read('empty_resource')];
      const maps = { signal: { kind: 'text', map }, resource: { kind: 'text', map: resource, empty } } as const;
      return attributeValue(maps, scope, keys, 'events', undefined);
    },
  };
  return {
    plan,
    columns: [],
    window,
    sorted: false,
    rows,
    time,
    weight: spans.read('weight'),
    beside: new Map([['span', spans]]),
  };
}
