/**
 * The OTLP messages in OTLP/JSON: field names in lowerCamelCase, ids in hex, 64-bit integers as strings or numbers,
 * enums as numbers (names are accepted too). "Opentelemetry-specific JSON", OTLP specification 1.7.
 */
export type Scalar =
  | 'string'
  | 'id' // bytes, written in hex
  | 'base64' // bytes
  | 'bool'
  | 'double'
  | 'fixed32'
  | 'fixed64'
  | 'sfixed64'
  | 'uint32'
  | 'uint64'
  | 'int64'
  | 'sint32'
  | 'enum';

export interface Field {
  number: number;
  kind: Scalar | Message;
  /** `map`: written as an object; its kind has a `key` and a `value`. */
  repeated: boolean | 'map';
  /** For enums: the names by number, with their common prefix. */
  names?: readonly string[];
}

export interface Message {
  name: string;
  /** By lowerCamelCase and by the original name, which JSON parsers of protobuf accept too. */
  fields: Map<string, Field>;
}

type FieldTuple = readonly [number: number, kind: Scalar | Message, options?: 'repeated' | 'map' | readonly string[]];

/** A message by the names of its fields in JSON. */
export function message(name: string, fields: Record<string, FieldTuple>): Message {
  const made: Message = { name, fields: new Map() };
  extend(made, fields);
  return made;
}

function extend(target: Message, fields: Record<string, FieldTuple>): void {
  for (const [name, [number, kind, options]] of Object.entries(fields)) {
    const field: Field = { number, kind, repeated: options === 'map' ? 'map' : options === 'repeated' };
    if (Array.isArray(options)) field.names = options;
    target.fields.set(name, field);
    target.fields.set(
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      field,
    );
  }
}

const anyValue = message('AnyValue', {
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
  bytesValue: [7, 'base64'],
  stringValueStrindex: [8, 'uint32'],
});
export const keyValue = message('KeyValue', { key: [1, 'string'], value: [2, anyValue], keyStrindex: [3, 'uint32'] });
extend(anyValue, {
  arrayValue: [5, message('ArrayValue', { values: [1, anyValue, 'repeated'] })],
  kvlistValue: [6, message('KeyValueList', { values: [1, keyValue, 'repeated'] })],
});

const resource = message('Resource', {
  attributes: [1, keyValue, 'repeated'],
  droppedAttributesCount: [2, 'uint32'],
});
const scope = message('InstrumentationScope', {
  name: [1, 'string'],
  version: [2, 'string'],
  attributes: [3, keyValue, 'repeated'],
  droppedAttributesCount: [4, 'uint32'],
});

/** request → resource → scope → items, which the signals share. */
function envelope(signal: string, outer: string, inner: string, items: string, item: Message): Message {
  const scopeItems = message(`Scope${signal}`, {
    scope: [1, scope],
    [items]: [2, item, 'repeated'],
    schemaUrl: [3, 'string'],
  });
  const resourceItems = message(`Resource${signal}`, {
    resource: [1, resource],
    [inner]: [2, scopeItems, 'repeated'],
    schemaUrl: [3, 'string'],
  });
  return message(`Export${signal}ServiceRequest`, { [outer]: [1, resourceItems, 'repeated'] });
}

const span = message('Span', {
  traceId: [1, 'id'],
  spanId: [2, 'id'],
  traceState: [3, 'string'],
  parentSpanId: [4, 'id'],
  name: [5, 'string'],
  kind: [6, 'enum', ['SPAN_KIND_', 'UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, keyValue, 'repeated'],
  droppedAttributesCount: [10, 'uint32'],
  events: [
    11,
    message('Event', {
      timeUnixNano: [1, 'fixed64'],
      name: [2, 'string'],
      attributes: [3, keyValue, 'repeated'],
      droppedAttributesCount: [4, 'uint32'],
    }),
    'repeated',
  ],
  droppedEventsCount: [12, 'uint32'],
  links: [
    13,
    message('Link', {
      traceId: [1, 'id'],
      spanId: [2, 'id'],
      traceState: [3, 'string'],
      attributes: [4, keyValue, 'repeated'],
      droppedAttributesCount: [5, 'uint32'],
      flags: [6, 'fixed32'],
    }),
    'repeated',
  ],
  droppedLinksCount: [14, 'uint32'],
  status: [
    15,
    message('Status', { message: [2, 'string'], code: [3, 'enum', ['STATUS_CODE_', 'UNSET', 'OK', 'ERROR']] }),
  ],
  flags: [16, 'fixed32'],
});

const severities = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((level) => [
  level,
  `${level}2`,
  `${level}3`,
  `${level}4`,
]);
const logRecord = message('LogRecord', {
  timeUnixNano: [1, 'fixed64'],
  severityNumber: [2, 'enum', ['SEVERITY_NUMBER_', 'UNSPECIFIED', ...severities]],
  severityText: [3, 'string'],
  body: [5, anyValue],
  attributes: [6, keyValue, 'repeated'],
  droppedAttributesCount: [7, 'uint32'],
  flags: [8, 'fixed32'],
  traceId: [9, 'id'],
  spanId: [10, 'id'],
  observedTimeUnixNano: [11, 'fixed64'],
  eventName: [12, 'string'],
});

const exemplar = message('Exemplar', {
  timeUnixNano: [2, 'fixed64'],
  asDouble: [3, 'double'],
  spanId: [4, 'id'],
  traceId: [5, 'id'],
  asInt: [6, 'sfixed64'],
  filteredAttributes: [7, keyValue, 'repeated'],
});
const temporality = ['AGGREGATION_TEMPORALITY_', 'UNSPECIFIED', 'DELTA', 'CUMULATIVE'] as const;
const buckets = message('Buckets', { offset: [1, 'sint32'], bucketCounts: [2, 'uint64', 'repeated'] });
const pointTimes = { startTimeUnixNano: [2, 'fixed64'], timeUnixNano: [3, 'fixed64'] } as const;
const numberPoint = message('NumberDataPoint', {
  ...pointTimes,
  asDouble: [4, 'double'],
  exemplars: [5, exemplar, 'repeated'],
  asInt: [6, 'sfixed64'],
  attributes: [7, keyValue, 'repeated'],
  flags: [8, 'uint32'],
});
const histogramPoint = message('HistogramDataPoint', {
  ...pointTimes,
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'fixed64', 'repeated'],
  explicitBounds: [7, 'double', 'repeated'],
  exemplars: [8, exemplar, 'repeated'],
  attributes: [9, keyValue, 'repeated'],
  flags: [10, 'uint32'],
  min: [11, 'double'],
  max: [12, 'double'],
});
const exponentialPoint = message('ExponentialHistogramDataPoint', {
  attributes: [1, keyValue, 'repeated'],
  ...pointTimes,
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  scale: [6, 'sint32'],
  zeroCount: [7, 'fixed64'],
  positive: [8, buckets],
  negative: [9, buckets],
  flags: [10, 'uint32'],
  exemplars: [11, exemplar, 'repeated'],
  min: [12, 'double'],
  max: [13, 'double'],
  zeroThreshold: [14, 'double'],
});
const summaryPoint = message('SummaryDataPoint', {
  ...pointTimes,
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  quantileValues: [6, message('ValueAtQuantile', { quantile: [1, 'double'], value: [2, 'double'] }), 'repeated'],
  attributes: [7, keyValue, 'repeated'],
  flags: [8, 'uint32'],
});

function data(name: string, point: Message): Message {
  return message(name, {
    dataPoints: [1, point, 'repeated'],
    aggregationTemporality: [2, 'enum', temporality],
    isMonotonic: [3, 'bool'],
  });
}

const metric = message('Metric', {
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  gauge: [5, data('Gauge', numberPoint)],
  sum: [7, data('Sum', numberPoint)],
  histogram: [9, data('Histogram', histogramPoint)],
  exponentialHistogram: [10, data('ExponentialHistogram', exponentialPoint)],
  summary: [11, data('Summary', summaryPoint)],
  metadata: [12, keyValue, 'repeated'],
});

const profile = message('Profile', {
  sampleType: [1, message('ValueType', { typeStrindex: [1, 'uint32'], unitStrindex: [2, 'uint32'] })],
  samples: [
    2,
    message('Sample', {
      stackIndex: [1, 'uint32'],
      attributeIndices: [2, 'uint32', 'repeated'],
      linkIndex: [3, 'uint32'],
      values: [4, 'int64', 'repeated'],
      timestampsUnixNano: [5, 'fixed64', 'repeated'],
    }),
    'repeated',
  ],
  timeUnixNano: [3, 'fixed64'],
  durationNano: [4, 'uint64'],
  profileId: [7, 'base64'],
  attributeIndices: [11, 'uint32', 'repeated'],
});
const line = message('Line', { functionIndex: [1, 'uint32'], line: [2, 'int64'], column: [3, 'int64'] });
const profilesDictionary = message('ProfilesDictionary', {
  mappingTable: [1, message('Mapping', { filenameStrindex: [4, 'uint32'] }), 'repeated'],
  locationTable: [
    2,
    message('Location', { mappingIndex: [1, 'uint32'], address: [2, 'uint64'], lines: [3, line, 'repeated'] }),
    'repeated',
  ],
  functionTable: [
    3,
    message('Function', {
      nameStrindex: [1, 'uint32'],
      systemNameStrindex: [2, 'uint32'],
      filenameStrindex: [3, 'uint32'],
      startLine: [4, 'int64'],
    }),
    'repeated',
  ],
  linkTable: [4, message('Link', { traceId: [1, 'id'], spanId: [2, 'id'] }), 'repeated'],
  stringTable: [5, 'string', 'repeated'],
  attributeTable: [
    6,
    message('KeyValueAndUnit', { keyStrindex: [1, 'uint32'], value: [2, anyValue], unitStrindex: [3, 'uint32'] }),
    'repeated',
  ],
  stackTable: [7, message('Stack', { locationIndices: [1, 'uint32', 'repeated'] }), 'repeated'],
});
const profiles = envelope('Profiles', 'resourceProfiles', 'scopeProfiles', 'profiles', profile);
extend(profiles, { dictionary: [2, profilesDictionary] });

export const requests = {
  traces: envelope('Trace', 'resourceSpans', 'scopeSpans', 'spans', span),
  logs: envelope('Logs', 'resourceLogs', 'scopeLogs', 'logRecords', logRecord),
  metrics: envelope('Metrics', 'resourceMetrics', 'scopeMetrics', 'metrics', metric),
  profiles,
} as const;
