import { expect, it } from 'vitest';
import { parseTolerance, toleranceText } from './tolerance.ts';

it.each([
  ['1 point', 'error_rate', 0.01, 'absolute'],
  ['0.5 points', 'error_rate', 0.005, 'absolute'],
  ['2points', 'purchase', 0.02, 'absolute'],
  ['5 %', 'error_rate', 0.05, 'relative'],
  ['5%', 'latency', 0.05, 'relative'],
  ['20 ms', 'latency', 20_000_000, 'absolute'],
  ['1.5 s', 'latency_p95', 1_500_000_000, 'absolute'],
  ['0.01', 'error_rate', 0.01, 'absolute'],
  ['0', 'latency', 0, 'absolute'],
] as const)('reads %s of %s', (text, metric, tolerance, scale) => {
  expect(parseTolerance(text, metric)).toEqual({ tolerance, scale });
});

it.each([
  ['', 'error_rate'],
  ['-1', 'error_rate'],
  ['1 pint', 'error_rate'],
  ['1e9', 'error_rate'],
  ['20 ms', 'error_rate'],
  ['1 point', 'latency'],
  ['1,5 %', 'latency'],
])('rejects %j of %s', (text, metric) => {
  expect(parseTolerance(text, metric)).toBeUndefined();
});

it.each([
  ['1 point', 'error_rate'],
  ['2.5 points', 'error_rate'],
  ['5 %', 'latency'],
  ['200 ms', 'latency'],
  ['0.07', 'purchase'],
])('writes %s of %s as it was read', (text, metric) => {
  const read = parseTolerance(text, metric);
  expect(read && toleranceText(read, metric)).toBe(text);
});
