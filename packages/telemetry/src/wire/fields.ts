/**
 * Tags of the OTLP messages, opentelemetry-proto 1.7 (`opentelemetry/proto/*\/v1/*.proto`):
 * field number × 8 + wire type. A known field with another wire type is skipped like an unknown one, as protobuf says.
 */
export const resourceItems = { resource: 10, scopes: 18, schemaUrl: 26 } as const;
export const scopeItems = { scope: 10, items: 18, schemaUrl: 26 } as const;
export const resource = { attributes: 10, droppedAttributes: 16 } as const;
export const scope = { name: 10, version: 18, attributes: 26, droppedAttributes: 32 } as const;
export const keyValue = { key: 10, value: 18 } as const;
export const anyValue = { string: 10, bool: 16, int: 24, double: 33, array: 42, kvlist: 50, bytes: 58 } as const;
/** `ArrayValue.values` and `KeyValueList.values` are both field 1. */
export const listValues = 10;

export const span = {
  traceId: 10,
  spanId: 18,
  traceState: 26,
  parentSpanId: 34,
  name: 42,
  kind: 48,
  start: 57,
  end: 65,
  attributes: 74,
  droppedAttributes: 80,
  events: 90,
  droppedEvents: 96,
  links: 106,
  droppedLinks: 112,
  status: 122,
  flags: 133,
} as const;
export const spanEvent = { time: 9, name: 18, attributes: 26, droppedAttributes: 32 } as const;
export const spanLink = {
  traceId: 10,
  spanId: 18,
  traceState: 26,
  attributes: 34,
  droppedAttributes: 40,
  flags: 53,
} as const;
export const spanStatus = { message: 18, code: 24 } as const;

export const logRecord = {
  time: 9,
  severityNumber: 16,
  severityText: 26,
  body: 42,
  attributes: 50,
  droppedAttributes: 56,
  flags: 69,
  traceId: 74,
  spanId: 82,
  observedTime: 89,
  eventName: 98,
} as const;

export const metric = {
  name: 10,
  description: 18,
  unit: 26,
  gauge: 42,
  sum: 58,
  histogram: 74,
  exponentialHistogram: 82,
  summary: 90,
} as const;
/** The five kinds of metric data agree on these. */
export const metricData = { points: 10, temporality: 16, monotonic: 24 } as const;
export const numberPoint = {
  start: 17,
  time: 25,
  asDouble: 33,
  exemplars: 42,
  asInt: 49,
  attributes: 58,
  flags: 64,
} as const;
export const histogramPoint = {
  start: 17,
  time: 25,
  count: 33,
  sum: 41,
  bucketCounts: 50,
  bucketCount: 49,
  bounds: 58,
  bound: 57,
  exemplars: 66,
  attributes: 74,
  flags: 80,
  min: 89,
  max: 97,
} as const;
export const exponentialPoint = {
  attributes: 10,
  start: 17,
  time: 25,
  count: 33,
  sum: 41,
  scale: 48,
  zeroCount: 57,
  positive: 66,
  negative: 74,
  flags: 80,
  exemplars: 90,
  min: 97,
  max: 105,
  zeroThreshold: 113,
} as const;
export const buckets = { offset: 8, counts: 18, count: 16 } as const;
export const summaryPoint = {
  start: 17,
  time: 25,
  count: 33,
  sum: 41,
  quantiles: 50,
  attributes: 58,
  flags: 64,
} as const;
export const summaryQuantile = { quantile: 9, value: 17 } as const;
export const exemplar = { time: 17, asDouble: 25, spanId: 34, traceId: 42, asInt: 49, attributes: 58 } as const;
/** Bit 0 of a data point's flags: the point has no value. */
export const NO_RECORDED_VALUE = 1;
