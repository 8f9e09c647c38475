import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { complete } from '../platform/steps.ts';
import { joinJson, splitJson } from './json-parts.ts';

const again = (value: unknown) => complete(joinJson(structuredClone(splitJson(value))));

describe('a JSON value in parts', () => {
  it('is the same when it is joined', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(again(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is the same when it is large', () => {
    const many = Array.from({ length: 12_000 }, (_, i) => ({ i, name: `n${i}` }));
    const members = Object.fromEntries(many.map((item) => [item.name, [item, 'x'.repeat(50)]]));
    const value = { many, members, nested: { texts: Array(30).fill('y'.repeat(100_000)), last: null }, empty: [] };
    const parts = splitJson(value);
    expect('members' in parts && parts.members.length).toBeGreaterThan(2);
    expect(again(value)).toEqual(value);
  });

  it('keeps __proto__ as an ordinary member', () => {
    const text = `{"__proto__":{"admin":true},"list":[${'{"a":1},'.repeat(6_000)}0]}`;
    const joined = again(JSON.parse(text)) as object;
    expect(JSON.stringify(joined)).toBe(text);
    expect(Object.getPrototypeOf(joined)).toBe(Object.prototype);
  });
});
