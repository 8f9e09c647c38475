import { expect, it } from 'vitest';
import { stepsDone, type Token } from './steps.ts';

const now = Date.UTC(2026, 10, 22);
const token = (given: Partial<Token> = {}): Token => ({
  kind: 'api',
  permissions: ['telemetry:ingest'],
  project: 'shop',
  expires_at: null,
  revoked_at: null,
  ...given,
});
const done = (tokens: Token[], rest: { arrived?: boolean; flags?: number } = {}) =>
  stepsDone({ tokens, project: 'shop', arrived: false, flags: 0, ...rest }, now);

it.each([
  ['no token', [], false],
  ['a token of the project', [token()], true],
  ['a token of all projects', [token({ project: null })], true],
  ['a token of another project', [token({ project: 'other' })], false],
  ['a token that may only read', [token({ permissions: ['telemetry:query'] })], false],
  ['a revoked token', [token({ revoked_at: '2026-11-21T00:00:00Z' })], false],
  ['an expired token', [token({ expires_at: '2026-11-21T00:00:00Z' })], false],
  ['a token that still holds', [token({ expires_at: '2026-11-23T00:00:00Z' })], true],
  ['an SDK key', [token({ kind: 'sdk', permissions: [] })], false],
] as const)('with %s, the token step is done: %s', (_, tokens, isDone) =>
  expect(done([...tokens])).toEqual({ token: isDone, sent: false, flag: false }),
);

it('needs no token any more once something has arrived', () =>
  expect(done([], { arrived: true })).toEqual({ token: true, sent: true, flag: false }));

it('needs a flag and a key for the flag step', () => {
  const key = token({ kind: 'sdk', permissions: [] });
  expect(done([key]).flag).toBe(false);
  expect(done([], { flags: 1 }).flag).toBe(false);
  expect(done([key], { flags: 1 }).flag).toBe(true);
});
