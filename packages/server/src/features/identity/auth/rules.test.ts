import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultWorkspaceName, safeReturnPath, windowAt } from './rules.ts';

describe('the attempt window', () => {
  const limit = { kind: 'login:account', attempts: 3, windowMs: 60_000 };
  it('contains its moment and reports the seconds left', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
        const { start, secondsLeft } = windowAt(limit, now);
        expect(start.getTime()).toBeLessThanOrEqual(now);
        expect(start.getTime() + limit.windowMs).toBeGreaterThan(now);
        expect(windowAt(limit, now + secondsLeft * 1000).start.getTime()).toBe(start.getTime() + limit.windowMs);
      }),
    );
  });
});

describe('the path after sign-in', () => {
  it.each(['/', '/w/acme', '/w/acme/default?tab=flags#top', '/invitations/abc'])('keeps %s', (path) =>
    expect(safeReturnPath(path)).toBe(path),
  );
  it.each([
    undefined,
    '',
    'w/acme',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    '///evil.example',
    ' //evil.example',
    '/\\/evil.example',
  ])('is / for %j', (path) => expect(safeReturnPath(path)).toBe('/'));
  it('is always on this origin', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '@',
      ':',
      '\t',
      '\n',
      '%2f',
      '%5c',
      'evil.example',
      'http:',
      '?',
      '#',
      ' ',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const path = safeReturnPath(`/${parts.join('')}`);
        expect(new URL(path, 'https://fanion.example/deep/page').origin).toBe('https://fanion.example');
        expect(path).not.toMatch(/[\r\n\t]/);
      }),
      { numRuns: 2000 },
    );
  });
});

it('names a workspace after its founder, within the length limit of names', () => {
  expect(defaultWorkspaceName('Ada')).toBe("Ada's workspace");
  expect(defaultWorkspaceName('x'.repeat(200)).length).toBeLessThanOrEqual(200);
});
