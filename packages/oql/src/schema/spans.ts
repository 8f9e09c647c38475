import { SPAN_KIND, SPAN_STATUS } from '../check/enumeration.ts';
import { zeroId } from '../check/store.ts';
import { CRITICAL_PATH, IS_CRITICAL } from '../rules/critical-path.ts';
import { SELF_TIME } from '../rules/self-time.ts';
import { sql } from '../sql/sql.ts';
import { ABOUT, ATTRIBUTES, enumerated, id, optionalText, plain, RESOURCE_WITH_TEXT } from './fields.ts';
import type { SignalSchema } from './rows.ts';

export const SPANS: SignalSchema = {
  signal: 'spans',
  table: 'spans',
  subject: 'duration',
  weight: (read) => read('weight'),
  defaults: [
    ...['time', 'duration', 'service.name', 'name', 'kind', 'status', 'trace_id', 'span_id', 'parent_span_id'],
    ...['attributes', 'resource'],
  ],
  intrinsics: {
    time: plain('time', 'timestamp', 'When the span began.', 'order key'),
    end: {
      doc: 'When the span ended.',
      value: (read) => ({
        type: 'timestamp',
        sql: sql`(${read('time')} + toIntervalNanosecond(${read('duration')}))`,
        nullable: false,
      }),
    },
    duration: plain('duration', 'duration', 'How long the span took.', 'minmax of duration'),
    self_time: {
      doc: 'The part of its duration in which no child of it ran.',
      value: (read) => ({ type: 'duration', sql: read(SELF_TIME), nullable: false }),
    },
    critical_path: {
      doc: 'How long the critical path of its trace runs in the span itself and in none of its children; 0 where it is not on the path.',
      value: (read) => ({ type: 'duration', sql: read(CRITICAL_PATH), nullable: false }),
    },
    on_critical_path: {
      doc: 'Whether it is on the critical path of its trace, in itself or in a child.',
      value: (read) => ({ type: 'bool', sql: read(IS_CRITICAL), nullable: false }),
    },
    trace_id: id('trace_id', 16, false, 'The trace that the span belongs to.', 'bloom filter of trace_id'),
    span_id: id('span_id', 8, false, 'The span itself.'),
    parent_span_id: id('parent_span_id', 8, true, 'The span that caused it; null for a root.'),
    root: {
      doc: 'Whether the span has no parent.',
      value: (read) => ({ type: 'bool', sql: sql`(${read('parent_span_id')} = ${zeroId(8)})`, nullable: false }),
    },
    name: plain('name', 'string', 'What the span is called, such as `GET /cart`.', 'order key'),
    kind: enumerated('kind', SPAN_KIND, 'Its role: server, client, producer, consumer, internal.'),
    status: enumerated('status', SPAN_STATUS, 'Its outcome: unset, ok, error.'),
    status_message: optionalText('status_message', 'Why it failed.'),
    'service.name': plain('service', 'string', 'The service that sent it.', 'order key'),
    environment: optionalText('environment', 'The environment that it came from.'),
    ...ABOUT,
    trace_state: optionalText('trace_state', 'W3C tracestate, as it was sent.'),
    flags: plain('flags', 'int', 'W3C trace flags and those of OpenTelemetry, as a number of bits.'),
    dropped_attributes_count: plain(
      'dropped_attributes_count',
      'int',
      'How many of its attributes its SDK has dropped.',
    ),
    dropped_events_count: plain('dropped_events_count', 'int', 'How many of its events its SDK has dropped.'),
    dropped_links_count: plain('dropped_links_count', 'int', 'How many of its links its SDK has dropped.'),
    weight: plain('weight', 'float', 'How many spans it stands for, by the sampling threshold in its tracestate.'),
    attributes: ATTRIBUTES,
    resource: RESOURCE_WITH_TEXT,
    'event.names': plain('event_name', 'array', 'The names of its events.'),
    'event.values': {
      doc: 'The values of the attributes of its events, such as the messages of exceptions.',
      value: (read) => ({
        type: 'array',
        sql: sql`arrayFlatten(arrayMap(x -> mapValues(x), ${read('event_attributes')}))`,
        nullable: false,
      }),
    },
    'link.trace_ids': {
      doc: 'The traces that it is linked to.',
      value: (read) => ({
        type: 'array',
        sql: sql`arrayMap(x -> lower(hex(x)), ${read('link_trace_id')})`,
        nullable: false,
      }),
    },
  },
};
