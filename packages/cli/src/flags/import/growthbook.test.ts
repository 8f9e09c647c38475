import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FlagDocument, SegmentDocument } from '../document.ts';
import { expectNotes } from '../testing/notes.ts';
import { evaluator } from '../testing/serve.ts';
import { convertGrowthBook } from './growthbook.ts';

const converted = convertGrowthBook(
  JSON.parse(readFileSync(new URL('samples/growthbook.json', import.meta.url), 'utf8')),
);
const ask = evaluator(converted, 'default');

describe('import from GrowthBook', () => {
  it('produces valid documents', () => {
    for (const flag of converted.flags) expect(FlagDocument.parse(flag)).toEqual(flag);
    for (const segment of converted.segments) expect(SegmentDocument.parse(segment)).toEqual(segment);
    expect(converted.flags.map(({ key, kind }) => [key, kind])).toEqual([
      ['dark-mode', 'boolean'],
      ['price', 'number'],
      ['layout', 'json'],
      ['mixed', 'json'],
    ]);
    expect(converted.flags[1]?.prerequisites).toEqual([{ flag: 'dark-mode', variants: ['true'] }]);
  });

  it.each([
    ['a saved group of ids', { targetingKey: 'anna' }, true],
    [
      'a saved group of another attribute, and a path',
      { targetingKey: 'x', company: 'other', plan: { name: 'pro' } },
      true,
    ],
    ['a missing attribute is in no group', { targetingKey: 'x', age: 70 }, true],
    ['a member of the group', { targetingKey: 'x', company: 'acme', age: 70 }, false],
    ['nobody in particular', { targetingKey: 'x', company: 'other' }, false],
    ['a text that is a number', { targetingKey: 'x', company: 'other', age: '70' }, true],
    ['an old version', { targetingKey: 'x', device: 'd1', version: '1.0.0' }, false],
  ])('%s is served as before', (_, context, value) => {
    expect(ask('dark-mode', context)).toMatchObject({ value });
  });

  it('keeps coverage and the attribute it divides by', () => {
    const devices = Array.from({ length: 2_000 }, (_, i) => ({ device: `d${i}`, version: '2.0.0' }));
    const on = devices.filter((context) => ask('dark-mode', context).value === true);
    expect(on.length / devices.length).toBeCloseTo(0.3, 1);
    const old = devices.filter((context) => ask('dark-mode', { ...context, browser: 'IE 6' }).value === true);
    expect(old).toEqual([]);
  });

  it('reports what has no equivalent', () => {
    expectNotes(converted.notes, [
      'changed flag mixed: its values are of several types',
      'changed all conditions: GrowthBook converts types',
      'changed flag price, default, rule 2: it is an experiment',
    ]);
  });

  it('reads the list of the REST API, in which every value is a text', () => {
    const { flags, notes } = convertGrowthBook({
      features: [
        {
          id: 'size',
          valueType: 'number',
          defaultValue: '1',
          archived: false,
          tags: ['Web Shop'],
          environments: {
            production: {
              enabled: true,
              defaultValue: '1',
              rules: [
                { type: 'force', condition: '{"country": "DE"}', value: '2', enabled: true },
                { type: 'force', condition: '', value: '3', enabled: false },
              ],
            },
            dev: { enabled: false, defaultValue: '5', rules: [] },
          },
        },
      ],
    });
    const there = (environment: string) => evaluator({ flags, segments: [] }, environment);
    expect(there('production')('size', { country: 'DE' }).value).toBe(2);
    expect(there('production')('size', {}).value).toBe(1);
    expect(there('dev')('size', {})).toMatchObject({ variant: null, reason: 'OFF' });
    expect(flags[0]?.tags).toEqual(['web-shop']);
    expectNotes(notes, [
      'changed all conditions: GrowthBook converts types',
      'lost flag size, production, rule 2: it is disabled',
    ]);
  });

  it('treats a missing attribute as GrowthBook does', () => {
    const conditions = [{ a: { $lt: 18 } }, { a: { $gte: 18 } }, { a: { $vne: '1.0.0' } }, { a: {} }];
    const rules = conditions.map((condition, i) => ({ condition, force: i + 1 }));
    const served = rules.map((rule) => {
      const one = convertGrowthBook({ features: { f: { defaultValue: 0, rules: [rule] } } });
      return evaluator(one, 'default')('f', { targetingKey: 'u' }).value;
    });
    expect(served).toEqual([1, 0, 3, 0]);
  });

  it('leaves a feature off when its gate cannot be kept', () => {
    const gate = { id: 'parent', condition: { value: { $regex: '^7' } }, gate: true };
    const { flags, notes } = convertGrowthBook({
      features: {
        parent: { defaultValue: 7 },
        child: { defaultValue: true, rules: [{ parentConditions: [gate] }, { force: true }] },
      },
    });
    expect(evaluator({ flags, segments: [] }, 'default')('child', {})).toMatchObject({ variant: null, reason: 'OFF' });
    expect(notes.some(({ where, what }) => where === 'flag child' && what.includes('off is the safe side'))).toBe(true);
  });

  it.each([
    [{ $gt: 5 }, 7, true],
    [{ $gt: 7 }, 7, false],
    [{ $gte: 7 }, 7, true],
    [{ $gt: 6, $lt: 8 }, 7, true],
    // No value is 0 for GrowthBook, so a parent that is off would turn the feature on: this cannot be asked for.
    [{ $lt: 8 }, 7, false],
  ])('compares the number of a gate: %j of %j is %j', (test, value, isOn) => {
    const gate = { id: 'parent', condition: { value: test }, gate: true };
    const { flags } = convertGrowthBook({
      features: {
        parent: { defaultValue: value },
        child: { defaultValue: false, rules: [{ parentConditions: [gate] }, { force: true }] },
      },
    });
    expect(evaluator({ flags, segments: [] }, 'default')('child', {}).value === true).toBe(isOn);
  });

  it('tells that a list of values has numbers', () => {
    const { notes } = convertGrowthBook({
      features: { f: { defaultValue: false, rules: [{ condition: { id: { $inGroup: 'g' } }, force: true }] } },
      savedGroups: { g: [1, '2'] },
    });
    expect(notes).toContainEqual(expect.objectContaining({ level: 'changed', where: 'segment g' }));
  });

  it('skips a rule when the context lacks the attribute it divides by, and tries the next rule', () => {
    const rules = [
      { force: 'some', coverage: 1, hashAttribute: 'company' },
      { variations: ['a', 'b'], hashAttribute: 'company' },
    ];
    const serves = evaluator(convertGrowthBook({ features: { f: { defaultValue: 'rest', rules } } }), 'default');
    expect(serves('f', { targetingKey: 'u', company: 'acme' })).toMatchObject({ value: 'some' });
    expect(serves('f', { targetingKey: 'u' })).toMatchObject({ value: 'rest', reason: 'FALLTHROUGH' });
  });

  it('handles prerequisites, schedules and encryption of the REST API and of files', () => {
    const rule = (more: object) => ({ type: 'force', value: 'true', enabled: true, ...more });
    const feature = (id: string, rules: object[], prerequisites: string[] = []) => ({
      id,
      valueType: 'boolean',
      defaultValue: 'false',
      prerequisites,
      environments: { production: { enabled: true, rules } },
    });
    const scheduled = [{ enabled: true, timestamp: '2030-01-01T00:00:00Z' }];
    const parent = { id: 'parent', condition: '{"value": true}' };
    const { flags, notes } = convertGrowthBook({
      features: [
        feature('parent', [rule({})]),
        feature('child', [rule({ scheduleRules: scheduled }), rule({ prerequisites: [parent] })], ['parent']),
      ],
    });
    expect(flags[1]).toMatchObject({
      prerequisites: [{ flag: 'parent', variants: ['true'] }],
      environments: { production: { rules: [] } },
    });
    expectNotes(notes, [
      'lost flag child, production, rule 1: a schedule turns it on and off',
      'lost flag child, production, rule 2: it depends on the value of another feature',
    ]);
    expect(() => convertGrowthBook({ encryptedFeatures: 'abc.def' })).toThrow(/encrypted/);
  });
});
