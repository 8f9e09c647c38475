import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyFromName } from './key-from-name.ts';

it('suggests readable keys', () => {
  expect(keyFromName('Pre-Production (EU)')).toBe('pre-production-eu');
  expect(keyFromName('Zürich café')).toBe('zurich-cafe');
  expect(keyFromName('!!!')).toBe('');
});

it('suggests only valid keys', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const key = keyFromName(name);
      expect(key === '' || /^[a-z0-9][a-z0-9._-]{0,127}$/.test(key)).toBe(true);
    }),
  );
});
