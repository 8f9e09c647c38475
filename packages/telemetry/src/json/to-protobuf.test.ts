import { describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, tracesRequest } from '../testing/otlp.ts';
import { JsonError, parseJson } from './text.ts';
import { jsonToProtobuf } from './to-protobuf.ts';

const convert = (signal: 'traces' | 'logs' | 'metrics', request: object | string) =>
  jsonToProtobuf(signal, Buffer.from(typeof request === 'string' ? request : JSON.stringify(request)));

describe('numbers', () => {
  it('keeps every digit of integers that are too long for a double', () => {
    const parsed = parseJson(
      Buffer.from('{"a": 1700000000123456789, "b":[-9223372036854775808], "c":12345678901234567.5}'),
    );
    expect(parsed).toEqual({ a: '1700000000123456789', b: ['-9223372036854775808'], c: 12345678901234568 });
  });

  it('leaves digits within strings unchanged', () => {
    const value = { 'k:1234567890123456789,': 'a" , 12345678901234567890 \\', 'x\\\\"': '\\"98765432109876543210' };
    expect(parseJson(Buffer.from(JSON.stringify(value)))).toEqual(value);
  });

  it('encodes times as numbers and as strings alike', () => {
    const span = (time: string) => `{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":${time}}]}]}]}`;
    expect(convert('traces', span('1700000000123456789'))).toEqual(convert('traces', span('"1700000000123456789"')));
  });
});

it("encodes the specification's example to the bytes of protobuf", () => {
  const request = tracesRequest(
    [{ traceId: '5b8efff798038103d269b633813fc60c', spanId: 'EEE19B7EC3C1B174', kind: 2 }],
    [],
  );
  const span = '0a105b8efff798038103d269b633813fc60c' + '1208eee19b7ec3c1b174' + '3002';
  const scope = '0a060a0173120131';
  const scopeSpans = `${scope}121e${span}`;
  expect(convert('traces', request).toString('hex')).toBe(`0a2c0a001228${scopeSpans}`);
});

describe('variants of OTLP/JSON', () => {
  it.each([
    [
      'enum names',
      { kind: 'SPAN_KIND_SERVER', status: { code: 'STATUS_CODE_ERROR' } },
      { kind: 2, status: { code: 2 } },
    ],
    ['original field names', { start_time_unix_nano: '5', trace_id: 'ab' }, { startTimeUnixNano: 5, traceId: 'ab' }],
    ['unknown fields', { name: 'a', added_in_2031: { x: [1] } }, { name: 'a' }],
    ['null for nothing', { name: 'a', attributes: null, status: null }, { name: 'a' }],
    ['hex in capitals', { spanId: 'ABCDEF0123456789' }, { spanId: 'abcdef0123456789' }],
    [
      'doubles as text',
      { attributes: [{ key: 'a', value: { doubleValue: '1.5' } }] },
      { attributes: [{ key: 'a', value: { doubleValue: 1.5 } }] },
    ],
  ])('accepts %s', (_, lenient, strict) => {
    expect(convert('traces', tracesRequest([lenient]))).toEqual(convert('traces', tracesRequest([strict])));
  });

  it('uses the last of a repeated name, and ignores prototypes', () => {
    expect(convert('logs', '{"resourceLogs":[{"resource":{}}],"resourceLogs":[]}')).toHaveLength(0);
    expect(convert('logs', '{"__proto__":{"resourceLogs":[{}]},"constructor":1}')).toHaveLength(0);
  });
});

describe('rejects', () => {
  it.each([
    ['no JSON', '{"resourceSpans":', 'not JSON'],
    ['a list', '[]', 'expected an object'],
    [
      'a wrong type, and tells where',
      tracesRequest([{ name: 'a' }, { name: 5 }]),
      'resourceSpans: [0] scopeSpans: [0] spans: [1] name: expected a string',
    ],
    ['an object for a list', '{"resourceSpans":{}}', 'expected an array'],
    ['a time below zero', tracesRequest([{ startTimeUnixNano: -1 }]), 'out of the range'],
    ['a broken time', tracesRequest([{ startTimeUnixNano: '1e9' }]), 'expected an integer'],
    [
      'an integer over 64 bits',
      tracesRequest([{ attributes: [{ key: 'a', value: { intValue: '9223372036854775808' } }] }]),
      'out of the range',
    ],
    ['broken base64', tracesRequest([{ attributes: [{ key: 'a', value: { bytesValue: '*' } }] }]), 'base64'],
    ['an unknown enum name', tracesRequest([{ kind: 'SPAN_KIND_OTHER' }]), 'enum'],
    ['5000 levels', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'nested deeper'],
  ])('%s', (_, request, message) => {
    expect(() => convert('traces', request)).toThrow(JsonError);
    expect(() => convert('traces', request)).toThrow(message);
  });
});

it('accepts the other signals', () => {
  expect(convert('logs', logsRequest([{ severityNumber: 'SEVERITY_NUMBER_WARN' }]))).toEqual(
    convert('logs', logsRequest([{ severityNumber: 13 }])),
  );
  const sum = (temporality: unknown) =>
    metricsRequest([{ name: 'm', sum: { aggregationTemporality: temporality, dataPoints: [{ asInt: '-5' }] } }]);
  expect(convert('metrics', sum('AGGREGATION_TEMPORALITY_CUMULATIVE'))).toEqual(convert('metrics', sum(2)));
});
