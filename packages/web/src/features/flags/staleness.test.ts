import { expect, it } from 'vitest';
import { staleness } from './staleness.ts';

const now = Date.UTC(2026, 5, 30);
const state = (serves: 'off' | 'one' | 'split', updated_at = '2026-05-01T00:00:00Z') => ({
  environment: 'production',
  enabled: serves !== 'off',
  serves,
  percentage: null,
  version: 1,
  updated_at,
});
const flag = {
  temporary: true,
  archived: false,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-06-29T00:00:00Z',
  environments: [state('one'), state('off')],
};

it('counts the days since anything was decided anew; a new description is no decision', () => {
  expect(staleness(flag, now)).toBe(60);
});

it('what still decides, is young, permanent or archived is not stale', () => {
  expect(staleness({ ...flag, environments: [state('split')] }, now)).toBeNull();
  expect(staleness({ ...flag, environments: [state('one', '2026-06-15T00:00:00Z')] }, now)).toBeNull();
  expect(staleness({ ...flag, created_at: '2026-06-20T00:00:00Z' }, now)).toBeNull();
  expect(staleness({ ...flag, temporary: false }, now)).toBeNull();
  expect(staleness({ ...flag, archived: true }, now)).toBeNull();
});
