import { expect, it } from 'vitest';
import { lineId, lineTime } from './line-id.ts';

const line = { time: '2026-05-01T10:00:00.123456789Z', body: 'a', attributes: { n: 1 } };

it('distinguishes lines with the same time, and returns that time', () => {
  expect(lineId(line)).toBe(lineId({ ...line, key: 7 }));
  expect(lineId(line)).not.toBe(lineId({ ...line, body: 'b' }));
  expect(lineId(line)).not.toBe(lineId({ ...line, attributes: { n: 2 } }));
  expect(lineTime(lineId(line))).toBe(Date.UTC(2026, 4, 1, 10, 0, 0, 123));
  expect(lineTime('7')).toBeNull();
});
