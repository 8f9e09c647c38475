import { describe, expect, it } from 'vitest';
import { initialVariants, readVariants, valueText } from './variant-values.ts';

describe('readVariants', () => {
  it.each(['boolean', 'string', 'number', 'json'] as const)('starts a new %s flag with valid variants', (kind) => {
    const { errors, variants } = readVariants(kind, initialVariants(kind));
    expect(errors.every((error) => error === undefined)).toBe(true);
    expect(variants).toHaveLength(2);
  });

  it('types values by the kind', () => {
    expect(readVariants('number', [{ key: 'a', text: '1.5' }]).variants).toEqual([{ key: 'a', value: 1.5 }]);
    expect(readVariants('json', [{ key: 'a', text: '[1]' }]).variants).toEqual([{ key: 'a', value: [1] }]);
    expect(readVariants('string', [{ key: 'a', text: '1' }]).variants).toEqual([{ key: 'a', value: '1' }]);
  });

  it('reports each error by variant', () => {
    const { errors } = readVariants('number', [
      { key: 'a', text: 'x' },
      { key: 'a', text: '1' },
      { key: '-', text: '1' },
    ]);
    expect(errors[0]).toMatch(/number/);
    expect(errors[1]).toMatch(/Another/);
    expect(errors[2]).toMatch(/key/);
    expect(readVariants('json', [{ key: 'a', text: '{' }]).errors[0]).toMatch(/JSON/);
  });
});

it('shows values in one line', () =>
  expect([valueText('x'), valueText({ a: 1 }), valueText(true)]).toEqual(['x', '{"a":1}', 'true']));
