import { compileRuleset, ofrepFlags, patchRuleset } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { changedFlags, isPatch, isRuleset, patched, refetchVersion } from './ruleset.ts';
import { booleanFlag, rulesetOf } from './testing/rulesets.ts';

describe('rulesets', () => {
  const needs = (key: string, flag: string) => ({
    ...booleanFlag(key, true),
    prerequisites: [{ flag, variants: ['true'] }],
  });

  it('are patched as the engine patches them', () => {
    const before = rulesetOf(1, booleanFlag('a', true), booleanFlag('b', true));
    const segment = { key: 's', version: 1, included: [], excluded: [], rules: [] };
    const patch = { version: 2, flags: { a: null, c: booleanFlag('c', false) }, segments: { s: segment } };
    const after = patched(before, patch);
    expect(Object.keys(after.flags)).toEqual(['b', 'c']);
    expect(after.segments).toEqual({ s: segment });
    expect(patched(after, { version: 3, segments: { s: null } })).toEqual({ ...after, version: 3, segments: {} });
    const byEngine = patchRuleset(compileRuleset(before), patch);
    expect(ofrepFlags(compileRuleset(after), {})).toBe(ofrepFlags(byEngine, {}));
    expect(Object.keys(before.flags)).toEqual(['a', 'b']);
  });

  it('keep keys such as `__proto__`', () => {
    const flags = JSON.parse('{"__proto__": null}');
    expect(Object.keys(patched(rulesetOf(1, booleanFlag('a', true)), { version: 2, flags }).flags)).toEqual(['a']);
  });

  it('report changed flags: new, removed, of another version, and those that depend on them', () => {
    const same = [booleanFlag('same', true), needs('also-same', 'same')];
    const before = rulesetOf(1, booleanFlag('a', true), booleanFlag('gone', true), ...same);
    const after = rulesetOf(
      2,
      booleanFlag('a', true, 2),
      booleanFlag('new', true),
      needs('x', 'a'),
      needs('y', 'x'),
      needs('z', 'gone'),
      ...same,
    );
    expect(changedFlags(before, after)).toEqual(['a', 'gone', 'new', 'x', 'y', 'z']);
    expect(changedFlags(after, after)).toEqual([]);
  });

  it('survive a cycle of prerequisites, and malformed flags', () => {
    const after = rulesetOf(2, needs('x', 'y'), needs('y', 'x'));
    expect(changedFlags(rulesetOf(1), after)).toEqual(['x', 'y']);
    const strange = JSON.parse('{"version":2,"environment":"e","project":"p","flags":{"a":null,"b":5},"segments":{}}');
    expect(changedFlags(rulesetOf(1), strange)).toEqual(['a', 'b']);
  });

  it.each([null, [], 'x', {}, { ...rulesetOf(1), version: '1' }, { ...rulesetOf(1), flags: [] }, { version: 1 }])(
    'are recognised in %j',
    (value) => {
      expect(isRuleset(value)).toBe(false);
      expect(refetchVersion(value)).toBeUndefined();
    },
  );

  it('differ from patches and refetches', () => {
    expect(isRuleset(rulesetOf(1))).toBe(true);
    expect(isPatch({ version: 1 })).toBe(true);
    expect(isPatch({ version: 1, flags: [] })).toBe(false);
    expect(refetchVersion({ version: 4, refetch: true })).toBe(4);
    expect(refetchVersion({ version: 4, refetch: 'yes' })).toBeUndefined();
  });
});
