import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSearch, pick, safeReturnPath, stringifySearch } from './search.ts';

it('round-trips any text through the URL', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1, unit: 'binary' }), fc.string({ minLength: 1, unit: 'grapheme' })),
      (search) => {
        expect({ ...parseSearch(stringifySearch(search)) }).toEqual({ ...search });
      },
    ),
    { examples: [[{ q: 'spans | where a == "b" & c' }], [{ from: '2026-01-01T00:00:00Z' }]] },
  );
});

it('omits empty values and keeps URLs readable', () => {
  expect(stringifySearch({ a: undefined, b: '', c: null })).toBe('');
  expect(stringifySearch({ from: '2026-01-01T00:00:00Z', q: 'spans | limit 5' })).toBe(
    '?from=2026-01-01T00:00:00Z&q=spans+%7C+limit+5',
  );
});

it('picks only the named string parameters', () => {
  expect(pick({ a: 'x', b: 3, c: '', d: 'y' }, 'a', 'b', 'c')).toEqual({ a: 'x' });
});

describe('safeReturnPath', () => {
  it.each([
    ['/w/acme/default/flags?q=1#x', '/w/acme/default/flags?q=1#x'],
    ['//evil.example/x', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/sign-in?next=/x', '/'],
    [undefined, '/'],
  ])('%s returns to %s', (next, path) => expect(safeReturnPath(next)).toBe(path));
});
