import type { Context } from '../check/context.ts';
import type { Relation, Rows, SignalName } from '../check/relation.ts';
import { idValue } from '../check/store.ts';
import type { Value } from '../check/value.ts';
import type { Definition, Plan, Window } from '../plan/plan.ts';
import { column, type Sql, sql } from '../sql/sql.ts';
import { attributeValue } from './attributes.ts';
import { signalRelation } from './rows.ts';
import { SPANS } from './spans.ts';

/** The fields that events and links take from their span. */
const OF_SPAN = ['trace_id', 'span_id', 'service.name', 'environment', 'resource', 'scope.name', 'scope.version'];
const OF_SPAN_FIELDS: Readonly<Record<string, string>> = {
  resource: 'All attributes of the resource.',
  trace_id: 'The trace of its span.',
  span_id: 'Its span.',
  'service.name': 'The service that sent it.',
  'scope.name': 'The instrumentation library.',
  'scope.version': 'Its version.',
  environment: 'The environment that sent it.',
};

export const EVENT_FIELDS: Readonly<Record<string, string>> = {
  time: 'When it happened.',
  name: 'The name of the event, such as `exception`.',
  attributes: 'All attributes of the event.',
  dropped_attributes_count: 'How many of its attributes the SDK dropped.',
  ...OF_SPAN_FIELDS,
};

export const LINK_FIELDS: Readonly<Record<string, string>> = {
  time: 'When its span started.',
  'link.trace_id': 'The trace of the linked span.',
  'link.span_id': 'The linked span.',
  'link.trace_state': 'The W3C tracestate of the linked span, as sent.',
  'link.flags': 'The W3C and OpenTelemetry trace flags of the linked span, as a bit field.',
  attributes: 'All attributes of the link.',
  dropped_attributes_count: 'How many of its attributes the SDK dropped.',
  ...OF_SPAN_FIELDS,
};

/** Returns a column with the elements of one of the span's lists. */
type Unnested = (name: string) => Sql;

/** The fields of one element, by their names; `time` is that of the element or of its span. */
type OwnFields = (unnested: Unnested, spanTime: Value | undefined) => Readonly<Record<string, Value>>;

/** One row for each event of the spans in the window, with the fields of its span, such as `span.duration`. */
export function eventsRelation(window: Window, ctx: Context): Relation {
  return elements('events', 'event', EVENT_FIELDS, window, ctx, (unnested) => ({
    time: { type: 'timestamp', sql: unnested('event_time'), nullable: false },
    name: { type: 'string', sql: unnested('event_name'), nullable: false },
  }));
}

/** One row for each link of the spans in the window, also with the fields of its span. */
export function linksRelation(window: Window, ctx: Context): Relation {
  return elements('links', 'link', LINK_FIELDS, window, ctx, (unnested, spanTime) => ({
    ...(spanTime ? { time: spanTime } : {}),
    'link.trace_id': idValue({ sql: unnested('link_trace_id'), bytes: 16 }, false),
    'link.span_id': idValue({ sql: unnested('link_span_id'), bytes: 8 }, false),
    'link.trace_state': { type: 'string', sql: sql`nullIf(${unnested('link_trace_state')}, '')`, nullable: true },
    'link.flags': { type: 'int', sql: unnested('link_flags'), nullable: false },
  }));
}

function elements(
  signal: SignalName,
  prefix: 'event' | 'link',
  docs: Readonly<Record<string, string>>,
  window: Window,
  ctx: Context,
  ownFields: OwnFields,
): Relation {
  const spans = signalRelation(SPANS, window, ctx);
  const columns: Definition[] = [];
  const unnested: Unnested = (name) => {
    const id = ctx.fresh();
    columns.push({ id, value: spans.read(name) });
    return column(id);
  };
  // The first list is always read, since it determines the rows, so it is a small one.
  const ofElement = ownFields(unnested, spans.rows.intrinsic('time'));
  const [map, types] = [unnested(`${prefix}_attributes`), unnested(`${prefix}_types`)];
  const own: Readonly<Record<string, Value>> = {
    ...ofElement,
    attributes: { type: 'map', sql: sql`(${map}, ${types})`, nullable: false },
    dropped_attributes_count: {
      type: 'int',
      sql: unnested(`${prefix}_dropped_attributes_count`),
      nullable: false,
    },
  };
  const plan: Plan = { op: 'unnest', input: spans.plan, columns };
  const rows: Rows = {
    signal,
    intrinsics: Object.keys(docs),
    intrinsic: (field) =>
      Object.hasOwn(own, field) ? own[field] : OF_SPAN.includes(field) ? spans.rows.intrinsic(field) : undefined,
    indexOf: () => null,
    docOf: (field) => docs[field] ?? '',
    defaults: Object.keys(own)
      .filter((name) => name !== 'attributes' && name !== 'dropped_attributes_count')
      .concat('service.name', 'trace_id', 'span_id', 'attributes'),
    attribute: (scope, keys) => {
      const read = (name: string) => spans.read(name);
      const maps = {
        signal: { kind: 'text', map, types },
        resource: { kind: 'text', map: read('resource'), empty: read('empty_resource'), types: read('resource_types') },
        scope: { kind: 'text', map: read('scope_attributes'), types: read('scope_types') },
      } as const;
      return attributeValue(maps, scope, keys);
    },
  };
  const { time } = own;
  return {
    plan,
    columns: [],
    window,
    sorted: false,
    rows,
    ...(time ? { time } : {}),
    weight: spans.read('weight'),
    beside: new Map([['span', spans]]),
  };
}
