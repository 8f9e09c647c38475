import { VariableValues } from '@fanion/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseValues, printValues, urlWithValues, withValues } from './variable-search.ts';

describe('the values of variables in the address', () => {
  it.each<[VariableValues, string]>([
    [{ service: 'cart' }, 'service:cart'],
    [{ service: ['cart', 'checkout'], code: 500 }, 'service:cart|checkout,code:500'],
    [{ code: '500', paid: true }, 'code:%22500%22,paid:true'],
    [{ path: '/a|b,c' }, 'path:/a%7Cb%2Cc'],
    [{ service: '$__all' }, 'service:$__all'],
  ])('are %j as %s', (values, text) => {
    expect(printValues(values)).toBe(text);
    expect(parseValues(text)).toEqual(values);
  });

  it('survive the address', () => {
    const scalar = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean());
    const value = fc.oneof(scalar, fc.array(scalar, { minLength: 2, maxLength: 3 }));
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]\w{0,9}$/), value, { maxKeys: 3 }), (values) => {
        expect(parseValues(printValues(values))).toEqual({ ...values });
      }),
    );
  });

  it.each([undefined, '', 'nonsense', ':x', '%', 'a:%zz'])('are read from %j without an error', (text) => {
    expect(VariableValues.safeParse(parseValues(text)).success).toBe(true);
  });
});

it('writes chosen values into titles', () => {
  const definitions = [
    { name: 'service', type: 'list' as const, default: 'cart' },
    { name: 'other', type: 'list' as const },
  ];
  expect(withValues('Errors of $service', definitions, {})).toBe('Errors of cart');
  expect(withValues('$service, $other, $unknown', definitions, { service: ['a', 'b'] })).toBe('a, b, all, $unknown');
});

it('writes chosen values into the address of a link, encoded', () => {
  const definitions = [
    { name: 'service', type: 'list' as const, default: 'cart' },
    { name: 'other', type: 'list' as const },
  ];
  const url = (text: string, values = {}) => urlWithValues(text, definitions, values);
  expect(url('https://x/?s=$service&o=$other')).toBe('https://x/?s=cart&o=');
  expect(url('/a/$service', { service: 'javascript:alert(1)/?&' })).toBe('/a/javascript%3Aalert(1)%2F%3F%26');
  expect(url('$unknown', { service: '$__all' })).toBe('$unknown');
  expect(url('/$service', { service: '$__all' })).toBe('/');
});
