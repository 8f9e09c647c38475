import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileRuleset, evaluate, patchRuleset } from './index.ts';
import { compiled, flag, ruleset, segment } from './testing/flags.ts';

describe('the engine', () => {
  it('runs in browsers: imports no Node module and only re2js', () => {
    const folder = new URL('./', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing'),
    );
    const imports = sources.flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/from '([^.][^']*)'/g)].map((match) => match[1]),
    );
    expect(sources.length).toBeGreaterThan(20);
    expect(new Set(imports)).toEqual(new Set(['re2js']));
  });
});

describe('patchRuleset', () => {
  const before = compiled([flag('a'), flag('b'), flag('c')], [segment('s'), segment('t')]);

  it('compiles the named entries and reuses the rest', () => {
    const after = patchRuleset(before, { version: 2, flags: { b: flag('b', { version: 2 }) } });
    expect(after.version).toBe(2);
    expect(after.flags.get('a')).toBe(before.flags.get('a'));
    expect(after.flags.get('c')).toBe(before.flags.get('c'));
    expect(after.flags.get('b')).not.toBe(before.flags.get('b'));
    expect(after.segments.get('s')).toBe(before.segments.get('s'));
    expect(before.flags.get('b')?.version).toBe(1);
  });

  it('removes entries set to null, and adds in key order', () => {
    const patch = { version: 2, flags: { a: null, aa: flag('aa'), B: flag('B') }, segments: { s: null } };
    const after = patchRuleset(before, patch);
    expect([...after.flags.keys()]).toEqual(['B', 'aa', 'b', 'c']);
    expect([...after.segments.keys()]).toEqual(['t']);
  });

  it('applies a changed segment and prerequisite to flags that the patch does not name', () => {
    const clauses = [{ op: 'in_segment' as const, values: ['s'] }];
    const rules = [{ id: 'r', salt: 'x', clauses, variant: 'true' }];
    const prerequisites = [{ flag: 'base', variants: ['true'] }];
    const flags = compiled([flag('base'), flag('seg', { rules }), flag('dep', { prerequisites })], [segment('s')]);
    const context = { targetingKey: 'u' };
    expect(evaluate(flags, 'seg', context).value).toBe(false);
    expect(evaluate(flags, 'dep', context).reason).toBe('PREREQUISITE_FAILED');
    const after = patchRuleset(flags, {
      version: 2,
      flags: { base: flag('base', { fallthrough: { variant: 'true' } }) },
      segments: { s: segment('s', { version: 2, included: ['u'] }) },
    });
    expect(evaluate(after, 'seg', context).value).toBe(true);
    expect(evaluate(after, 'dep', context).reason).toBe('FALLTHROUGH');
    expect(evaluate(flags, 'seg', context).value).toBe(false);
  });
});

describe('compileRuleset', () => {
  it('isolates a malformed flag or segment', () => {
    const flags = compileRuleset({
      ...ruleset([flag('good'), flag('bad', { off_variant: 'gone' })], [segment('s')]),
      segments: { s: JSON.parse('{"key":"s","version":1,"included":5}') },
    });
    expect(evaluate(flags, 'good', {}).reason).toBe('FALLTHROUGH');
    expect(evaluate(flags, 'bad', {}).error).toEqual({
      code: 'PARSE_ERROR',
      message: 'flag "bad": off_variant: unknown variant "gone"',
    });
  });

  it('reports where a flag is malformed', () => {
    const clauses = [
      { attribute: 'a', op: 'exists' as const, values: [] },
      { attribute: 'v', op: 'semver_gt' as const, values: ['1.0.0', 'one'] },
    ];
    const flags = compiled([flag('bad', { rules: [{ id: 'r', salt: 's', clauses, variant: 'true' }] })]);
    expect(evaluate(flags, 'bad', {}).error?.message).toBe(
      'flag "bad": rules.0: clauses.1: values.1: the value must be a semantic version such as "2.1.0"',
    );
  });

  it('accepts keys that every object inherits', () => {
    const flags = compileRuleset(
      JSON.parse(
        JSON.stringify(ruleset([])).replace('"flags":{}', `"flags":{"__proto__":${JSON.stringify(flag('__proto__'))}}`),
      ),
    );
    expect(evaluate(flags, '__proto__', {}).reason).toBe('FALLTHROUGH');
    expect(evaluate(flags, 'toString', {}).error?.code).toBe('FLAG_NOT_FOUND');
  });

  it('returns the id of the flag set', () => {
    expect(compiled([]).flagSetId).toBe('shop/production');
    expect(compileRuleset(ruleset([]), { flagSetId: 'e1' }).flagSetId).toBe('e1');
  });

  it('finds a unit among a million keys', () => {
    const included = Array.from({ length: 1_000_000 }, (_, i) => `user-${i}`);
    const clauses = [{ op: 'in_segment' as const, values: ['big'] }];
    const rules = [{ id: 'r', salt: 's', clauses, variant: 'true' }];
    const flags = compiled([flag('x', { rules })], [segment('big', { included })]);
    expect(evaluate(flags, 'x', { targetingKey: 'user-999999' }).value).toBe(true);
    expect(evaluate(flags, 'x', { targetingKey: 'user-1000000' }).value).toBe(false);
    expect(patchRuleset(flags, { version: 2, flags: {} }).segments.get('big')).toBe(flags.segments.get('big'));
  });
});
