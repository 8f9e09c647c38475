import { SEVERITY } from '../check/enumeration.ts';
import { sql } from '../sql/sql.ts';
import { ABOUT, ATTRIBUTES, enumerated, id, optionalText, plain, RESOURCE_WITH_TEXT } from './fields.ts';
import type { SignalSchema } from './rows.ts';

export const LOGS: SignalSchema = {
  signal: 'logs',
  table: 'logs',
  defaults: ['time', 'severity', 'service.name', 'body', 'trace_id', 'span_id', 'attributes', 'resource'],
  intrinsics: {
    time: plain('time', 'timestamp', 'When it happened.', 'order key'),
    observed_time: plain('observed_time', 'timestamp', 'When it was collected.'),
    body: {
      doc: 'The message. A structured body (a map or list) is compared as its JSON text, and returned as it was sent; `body.user.id` reads from it.',
      index: 'word index',
      value: (read) => ({
        type: 'string',
        sql: read('body'),
        nullable: false,
        sent: () => sql`concat(if(${read('body_is_json')}, 'j', 's'), ${read('body')})`,
      }),
    },
    shape: plain('shape', 'int', 'A hash of the body with numbers and ids masked; 0 if unknown.'),
    severity: enumerated('severity', SEVERITY, 'trace, debug, info, warn, error, fatal; ordered, so `>= warn` works.'),
    severity_number: plain('severity', 'int', 'OpenTelemetry severity number, 0 to 24.'),
    severity_text: optionalText('severity_text', 'The severity text that the source sent.'),
    'service.name': plain('service', 'string', 'The service that sent it.', 'order key'),
    environment: optionalText('environment', 'The environment that sent it.'),
    event_name: optionalText('event_name', 'The name of the event, if the record is an event.'),
    trace_id: id('trace_id', 16, true, 'The trace in which it was written.', 'bloom filter of trace_id'),
    span_id: id('span_id', 8, true, 'The span in which it was written.'),
    ...ABOUT,
    flags: plain('flags', 'int', 'W3C trace flags, as a bit field.'),
    dropped_attributes_count: plain('dropped_attributes_count', 'int', 'How many of its attributes the SDK dropped.'),
    attributes: ATTRIBUTES,
    resource: RESOURCE_WITH_TEXT,
  },
};
