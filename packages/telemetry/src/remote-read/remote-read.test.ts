import { compress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { packSnappy, unpackSnappy } from '../convert/snappy.ts';
import { WireWriter } from '../wire/writer.ts';
import { decodeReadRequest } from './request.ts';
import { encodeReadResponse } from './response.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const nothing = { indexes: new Int32Array(), counts: new Float64Array() };

describe('a remote read request', () => {
  it('is read with its matchers and times', () => {
    const writer = new WireWriter();
    writer.varint(10);
    writer.nested(() => {
      writer.varint(8);
      writer.bigVarint(-5n);
      writer.varint(16);
      writer.varint(1_795_426_200_000);
      writer.varint(26);
      writer.nested(() => {
        writer.varint(8);
        writer.varint(3);
        writer.varint(18);
        writer.string('job');
        writer.varint(26);
        writer.string('a|b');
      });
    });
    // The forms of answers, which are not read.
    writer.varint(16);
    writer.varint(1);
    const packed = Buffer.from(compress(writer.result()));
    expect(decodeReadRequest(packed, 1_000)).toEqual([
      { start: -5, end: 1_795_426_200_000, matchers: [{ name: 'job', op: '!~', value: 'a|b' }] },
    ]);
    expect(() => decodeReadRequest(packed, 10)).toThrow('more than 10 bytes');
    expect(() => decodeReadRequest(Buffer.from('nonsense'), 1_000)).toThrow();
  });
});

describe('a remote read response', () => {
  it('has samples with their bits', () => {
    const values = new Float64Array(new BigUint64Array([0x7ff0000000000002n, 0x3ff0000000000000n]).buffer);
    const series = { labels: new Map([['__name__', 'up']]), times: Float64Array.from([1, 2]), values };
    // QueryResult { TimeSeries { Label, Sample, Sample } } as protoc encodes it.
    expect(hex(unpackSnappy(encodeReadResponse([[series]]), 1_000))).toBe(
      `0a2c0a2a0a0e0a085f5f6e616d655f5f1202757012${'0b09020000000000f07f1001'}12${'0b09000000000000f03f1002'}`,
    );
  });
  it('has the spans of a native histogram, and whether its counter was reset', () => {
    const histogram = {
      ...{ schema: -1, count: 3, sum: 1, zeroThreshold: 0, zeroCount: 0, negative: nothing },
      counterReset: 'not-reset' as const,
      positive: { indexes: Int32Array.from([-1, 0, 4]), counts: Float64Array.from([1, 1, 1]) },
    };
    const bytes = unpackSnappy(
      encodeReadResponse([
        [
          {
            labels: new Map(),
            times: Float64Array.from([7]),
            values: Float64Array.from([Number.NaN]),
            histograms: [histogram],
          },
        ],
      ]),
      1_000,
    );
    // Two spans: two buckets from -1, then one after a gap of three.
    expect(hex(bytes)).toContain('5a0408011002' + '5a0408061001');
    expect(hex(bytes)).toContain('70027807');
  });
});

it.each([0, 1, 127, 128, 65_536, 200_000])('Snappy without compression holds %i bytes', (length) => {
  const text = Buffer.alloc(length, 'fanion');
  expect(unpackSnappy(packSnappy(text), length).equals(text)).toBe(true);
});
