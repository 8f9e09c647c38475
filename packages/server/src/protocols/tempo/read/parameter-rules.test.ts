import { describe, expect, it } from 'vitest';
import { parametersOf } from '../../read/request.ts';
import { durationOf, windowOf } from './parameter-rules.ts';
import { fieldOfTag } from './tags.ts';

const now = 1_795_426_200_000;
const second = 1_000_000_000n;
const window = (query: Record<string, string>) => {
  const { fromNs, toNs } = windowOf(parametersOf(query), now);
  return [fromNs, toNs];
};

describe('parameters of the Tempo API', () => {
  it('have a window of the last hour, or since a time', () => {
    const end = BigInt(now) * 1_000_000n;
    expect(window({})).toEqual([end - 3_600n * second, end]);
    expect(window({ since: '5m' })).toEqual([end - 300n * second, end]);
    expect(window({ start: '0', end: '0' })).toEqual([end - 3_600n * second, end]);
  });

  it('have times in seconds, in nanoseconds and in RFC 3339', () => {
    const expected = [1_700_000_000n * second, 1_700_000_060n * second];
    expect(window({ start: '1700000000', end: '1700000060' })).toEqual(expected);
    expect(window({ start: '1700000000000000000', end: '1700000060000000000' })).toEqual(expected);
    expect(window({ start: '2023-11-14T22:13:20Z', end: '2023-11-14T22:14:20Z' })).toEqual(expected);
    expect(window({ start: '1700000000.5', end: '1700000060' })[0]).toBe(1_700_000_000n * second + second / 2n);
  });

  it('have windows that the store can read, also of 1970 and of the year 58000', () => {
    expect(window({ start: '0', end: '4' })).toEqual([0n, 4n * second]);
    const [from = 0n, to = 0n] = window({ start: '1768000000000', end: '1768000003600' });
    expect(from < to && to <= 4_294_967_295n * second).toBe(true);
  });

  it.each([
    ['5', 5n * second],
    ['0.25', second / 4n],
    ['1m30s', 90n * second],
    ['15000ms', 15n * second],
  ])('have the duration %s', (text, nanoseconds) => {
    expect(durationOf('step', text)).toBe(nanoseconds);
  });

  it.each([
    ['resource.service.name', { kind: 'attribute', scope: 'resource', name: 'service.name' }],
    ['resource%2Eservice%2Ename', { kind: 'attribute', scope: 'resource', name: 'service.name' }],
    ['.http.route', { kind: 'attribute', scope: 'any', name: 'http.route' }],
    ['http.route', { kind: 'attribute', scope: 'any', name: 'http.route' }],
    ['span."my \\"key\\""', { kind: 'attribute', scope: 'span', name: 'my "key"' }],
    ['span:status', { kind: 'intrinsic', name: 'status' }],
    ['100%', { kind: 'attribute', scope: 'any', name: '100%' }],
  ])('have the tag %s', (tag, field) => {
    expect(fieldOfTag(tag)).toEqual(field);
  });
});
