import fc from 'fast-check';
import type { Signal } from '../entry.ts';

/** OTLP/JSON for tests. */
export interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

export const text = (key: string, value: string): KeyValue => ({ key, value: { stringValue: value } });
export const int = (key: string, value: number | bigint): KeyValue => ({ key, value: { intValue: String(value) } });
export const nanos = (millis: number): string => String(BigInt(millis) * 1_000_000n);

const words = fc.string({ unit: 'grapheme', maxLength: 60 });
/** JSON has no -0. */
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));

/** Any attribute value, including nested ones. */
export const anyValue: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{ value: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    words.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => ({ intValue: String(value) })),
    fc.integer().map((intValue) => ({ intValue })),
    fc.oneof(finite, fc.constantFrom('NaN', 'Infinity', '-Infinity')).map((doubleValue) => ({ doubleValue })),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ bytesValue: Buffer.from(bytes).toString('base64') })),
    fc.constant({}),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc
      .array(fc.record({ key: words, value: tie('value') }), { maxLength: 3 })
      .map((values) => ({ kvlistValue: { values } })),
  ),
})).value;

/** Up to 40 attributes, some with the same name. */
export const attributes: fc.Arbitrary<KeyValue[]> = fc.array(
  fc.record({ key: fc.oneof(words, fc.constantFrom('a', 'http.route', 'ключ')), value: anyValue }),
  { maxLength: 40, size: 'medium' },
);

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).fill(1, 0, 1).toString('hex'));

/** A valid span; times are offsets in nanoseconds before `now`. */
export function spans(now: number): fc.Arbitrary<Record<string, unknown>> {
  const time = fc
    .bigInt({ min: 0n, max: 86_400_000_000_000n })
    .map((before) => String(BigInt(now) * 1_000_000n - before));
  return fc.record(
    {
      traceId: hex(16),
      spanId: hex(8),
      parentSpanId: fc.oneof(fc.constant(''), hex(8)),
      traceState: fc.constantFrom('', 'a=b', 'ot=th:8', 'x=y,ot=rv:1;th:c'),
      flags: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      name: words,
      kind: fc.integer({ min: 0, max: 5 }),
      startTimeUnixNano: time,
      endTimeUnixNano: time,
      attributes,
      droppedAttributesCount: fc.nat(1000),
      droppedEventsCount: fc.nat(1000),
      droppedLinksCount: fc.nat(1000),
      events: fc.array(fc.record({ timeUnixNano: time, name: words, attributes }), { maxLength: 3 }),
      links: fc.array(fc.record({ traceId: hex(16), spanId: hex(8), attributes }), { maxLength: 3 }),
      status: fc.record({ code: fc.integer({ min: 0, max: 2 }), message: words }),
    },
    { requiredKeys: ['traceId', 'spanId', 'startTimeUnixNano', 'name'] },
  );
}

export function tracesRequest(items: unknown[], resource: KeyValue[] = [text('service.name', 'test')]): object {
  return {
    resourceSpans: [
      { resource: { attributes: resource }, scopeSpans: [{ scope: { name: 's', version: '1' }, spans: items }] },
    ],
  };
}
export function logsRequest(items: unknown[], resource: KeyValue[] = [text('service.name', 'test')]): object {
  return {
    resourceLogs: [
      { resource: { attributes: resource }, scopeLogs: [{ scope: { name: 's', version: '1' }, logRecords: items }] },
    ],
  };
}
export function metricsRequest(items: unknown[], resource: KeyValue[] = [text('service.name', 'test')]): object {
  return {
    resourceMetrics: [
      { resource: { attributes: resource }, scopeMetrics: [{ scope: { name: 's', version: '1' }, metrics: items }] },
    ],
  };
}

/** A valid log record with the time `now`. */
export function logRecords(now: number): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    {
      timeUnixNano: fc.constant(nanos(now)),
      observedTimeUnixNano: fc.constant(nanos(now)),
      severityNumber: fc.integer({ min: 0, max: 24 }),
      severityText: words,
      body: anyValue,
      attributes,
      traceId: hex(16),
      spanId: hex(8),
      eventName: words,
      flags: fc.nat(),
    },
    { requiredKeys: [] },
  );
}

/** A valid metric of any kind, with points at `now`. */
export function metrics(now: number): fc.Arbitrary<Record<string, unknown>> {
  const point = {
    timeUnixNano: fc.constant(nanos(now)),
    startTimeUnixNano: fc.constant(nanos(now - 1000)),
    attributes,
  };
  const exemplars = fc.array(
    fc.record({ timeUnixNano: fc.constant(nanos(now)), asDouble: finite, traceId: hex(16), spanId: hex(8) }),
    { maxLength: 2 },
  );
  const number = fc.oneof(
    fc.record({ ...point, asDouble: finite, exemplars }),
    fc.record({ ...point, asInt: fc.integer().map(String), flags: fc.constantFrom(0, 1) }),
  );
  const counts = fc.array(fc.nat(1e6).map(String), { minLength: 1, maxLength: 6 });
  const histogram = fc
    .record({
      ...point,
      count: fc.nat(1e6).map(String),
      sum: finite,
      bucketCounts: counts,
      min: finite,
      max: finite,
      exemplars,
    })
    .map((data) => ({ ...data, explicitBounds: data.bucketCounts.slice(1).map((_, i) => i * 1.5) }));
  const buckets = fc.record({ offset: fc.integer({ min: -500, max: 500 }), bucketCounts: counts });
  const exponential = fc.record({
    ...point,
    count: fc.nat(1e6).map(String),
    sum: finite,
    scale: fc.integer({ min: -10, max: 20 }),
    zeroCount: fc.nat(9).map(String),
    positive: buckets,
    negative: buckets,
    zeroThreshold: finite,
  });
  const summary = fc.record({
    ...point,
    count: fc.nat(1e6).map(String),
    sum: finite,
    quantileValues: fc.array(fc.record({ quantile: finite, value: finite }), { maxLength: 4 }),
  });
  const data = <T>(points: fc.Arbitrary<T>) =>
    fc.record({
      dataPoints: fc.array(points, { maxLength: 4 }),
      aggregationTemporality: fc.constantFrom(1, 2),
      isMonotonic: fc.boolean(),
    });
  const named = { name: words.map((name) => `m${name}`), unit: words, description: words };
  return fc.oneof(
    fc.record({ ...named, gauge: data(number) }),
    fc.record({ ...named, sum: data(number) }),
    fc.record({ ...named, histogram: data(histogram) }),
    fc.record({ ...named, exponentialHistogram: data(exponential) }),
    fc.record({ ...named, summary: data(summary) }),
  );
}

/** A request of profiles with one sample at one time each, so that items and rows have the same number. */
function profilesRequests(now: number): fc.Arbitrary<object> {
  const index = fc.integer({ min: 0, max: 4 });
  const sample = fc.record({
    stackIndex: index,
    attributeIndices: fc.array(index, { maxLength: 3 }),
    linkIndex: index,
    values: fc.tuple(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
    timestampsUnixNano: fc.constantFrom([], [nanos(now)]),
  });
  const profile = fc.record({
    sampleType: fc.record({ typeStrindex: fc.integer({ min: 1, max: 4 }), unitStrindex: index }),
    samples: fc.tuple(sample),
    timeUnixNano: fc.constant(nanos(now)),
    durationNano: fc.constantFrom('0', '10000000000'),
    attributeIndices: fc.array(index, { maxLength: 2 }),
  });
  const five = <T>(element: fc.Arbitrary<T>) => fc.array(element, { minLength: 5, maxLength: 5 });
  const dictionary = fc.record({
    mappingTable: five(fc.record({ filenameStrindex: index })),
    functionTable: five(fc.record({ nameStrindex: index, filenameStrindex: index })),
    locationTable: five(
      fc.record({
        mappingIndex: index,
        address: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
        lines: fc.array(fc.record({ functionIndex: index, line: fc.nat(9999) }), { maxLength: 3 }),
      }),
    ),
    stackTable: five(fc.record({ locationIndices: fc.array(index, { maxLength: 8 }) })),
    linkTable: five(fc.record({ traceId: hex(16), spanId: hex(8) })),
    stringTable: five(words),
    attributeTable: five(fc.record({ keyStrindex: index, value: anyValue })),
  });
  const resource = fc.record({
    attributes: fc.array(
      fc.oneof(
        fc.record({ key: words, value: anyValue }),
        fc.record({ keyStrindex: index, value: fc.record({ stringValueStrindex: index }) }),
      ),
    ),
  });
  return fc.record({
    resourceProfiles: fc.array(
      fc.record({ resource, scopeProfiles: fc.tuple(fc.record({ profiles: fc.array(profile, { maxLength: 3 }) })) }),
      { maxLength: 3 },
    ),
    dictionary,
  });
}

/** Any valid request of a signal. */
export function requests(signal: Signal, now: number): fc.Arbitrary<object> {
  const list = <T>(items: fc.Arbitrary<T>) => fc.array(items, { maxLength: 4 });
  switch (signal) {
    case 'traces':
      return fc.tuple(list(spans(now)), attributes).map(([items, resource]) => tracesRequest(items, resource));
    case 'logs':
      return fc.tuple(list(logRecords(now)), attributes).map(([items, resource]) => logsRequest(items, resource));
    case 'metrics':
      return fc.tuple(list(metrics(now)), attributes).map(([items, resource]) => metricsRequest(items, resource));
    case 'profiles':
      return profilesRequests(now);
  }
}
