import { expect, it } from 'vitest';
import { staleness } from './staleness.ts';

const now = Date.UTC(2026, 5, 30);

it('describes why a flag is stale, and for how long', () => {
  const since = '2026-05-01T00:00:00Z';
  expect(staleness({ stale: { reason: 'one_variant', since } }, now)).toBe('has served the same variant for 60 days');
  expect(staleness({ stale: { reason: 'not_evaluated', since } }, now)).toBe('has not been evaluated for 60 days');
  expect(staleness({ stale: null }, now)).toBeNull();
});
