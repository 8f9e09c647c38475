import { expect, it } from 'vitest';
import { severityLevel, severityRank } from './severity.ts';

it.each([
  [1, 'trace'],
  [9, 'info'],
  [12, 'info'],
  ['17', 'error'],
  [24, 'fatal'],
  [0, 'unset'],
  ['WARNING', 'warn'],
  ['error2', 'error'],
  ['critical', 'fatal'],
  ['', 'unset'],
  [null, 'unset'],
])('%s is %s', (value, level) => expect(severityLevel(value)).toBe(level));

it('ranks', () => expect([severityRank('debug'), severityRank('error'), severityRank('?')]).toEqual([2, 5, 0]));
