import { WireError, WireWriter } from '@fanion/telemetry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstBytes, GrpcFields } from './grpc-fields.ts';
import { messagesOf } from './grpc-rules.ts';

function written(...fields: readonly (readonly [number: number, value: bigint | string | Buffer])[]): Buffer {
  const writer = new WireWriter();
  for (const [number, value] of fields) {
    writer.varint(number * 8 + (typeof value === 'bigint' ? 0 : 2));
    if (typeof value === 'bigint') writer.bigVarint(value);
    else writer.raw(Buffer.from(value));
  }
  return writer.result();
}

describe('an answer in several messages', () => {
  it('has each field whole, in its order, and messages of up to a mebibyte', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 700_000 }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const answer = Buffer.from(written(...lengths.map((length) => [1, Buffer.alloc(length, 1)] as const)));
        const messages = messagesOf(answer);
        expect(Buffer.concat(messages).equals(answer)).toBe(true);
        for (const message of messages) {
          expect(message.length).toBeLessThanOrEqual(1024 * 1024);
          expect(() => new GrpcFields(message)).not.toThrow();
        }
      }),
      { numRuns: 50 },
    );
  });

  it('has a larger field in a message of its own', () => {
    const answer = Buffer.from(written([1, 'a'], [2, Buffer.alloc(3_000_000)], [1, 'b']));
    expect(messagesOf(answer).map(({ length }) => length)).toEqual([3, 3_000_005, 3]);
  });

  it('has a message for each run of fields of one group', () => {
    const answer = Buffer.from(written([1, 'a1'], [1, 'a2'], [1, 'b1'], [1, 'a3']));
    const messages = messagesOf(answer, (field) => field.toString()[0] ?? '');
    const lines = messages.map((message) => message.toString().replaceAll(/[^ab\d]/g, ''));
    expect(lines).toEqual(['a1a2', 'b1', 'a3']);
    expect(Buffer.concat(messages).equals(answer)).toBe(true);
  });

  it('finds the first field of nested messages', () => {
    const inner = Buffer.from(written([2, 7n], [1, 'id'], [1, 'later']));
    const outer = Buffer.from(written([1, 'other'], [2, inner]));
    expect(firstBytes(outer, [2, 1])?.toString()).toBe('id');
    expect(firstBytes(outer, [3, 1])).toBeUndefined();
  });

  it('has no message where there is no answer', () => {
    expect(messagesOf(Buffer.alloc(0))).toEqual([]);
  });
});

describe('the fields of a request', () => {
  it('takes the last of several with one number, and none of another type', () => {
    const fields = new GrpcFields(written([1, 'first'], [1, 'last'], [2, 7n], [3, 'text']));
    expect([fields.text(1), fields.whole(1), fields.whole(2), fields.text(2), fields.whole(3)]).toEqual([
      ...['last', undefined, 7n, undefined, undefined],
    ]);
  });

  it('tells no difference between what is missing and what is empty', () => {
    const fields = new GrpcFields(written([1, ''], [2, 0n]));
    expect([fields.text(1), fields.whole(2), fields.text(9), fields.whole(9)]).toEqual(Array(4).fill(undefined));
  });

  it('reads maps, times and numbers of 64 bits', () => {
    const entry = (key: string, value: string) => Buffer.from(written([1, key], [2, value]));
    const time = Buffer.from(written([1, 1_795_422_600n], [2, 5n]));
    const fields = new GrpcFields(
      written([1, entry('a', 'b')], [1, entry('__proto__', '')], [2, time], [3, 2n ** 63n - 1n], [4, -1n]),
    );
    expect(fields.map(1)).toEqual([
      ['a', 'b'],
      ['__proto__', ''],
    ]);
    expect(fields.nanoseconds(2)).toBe(1_795_422_600_000_000_005n);
    expect([fields.whole(3), fields.whole(4)]).toEqual([2n ** 63n - 1n, -1n]);
  });

  it('refuses bytes that are no message, and takes all others', () => {
    expect(() => new GrpcFields(Buffer.from([10, 5, 1]))).toThrow(WireError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          new GrpcFields(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });
});
