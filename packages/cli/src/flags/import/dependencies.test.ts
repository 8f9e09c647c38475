import { describe, expect, it } from 'vitest';
import { expectNotes } from '../testing/notes.ts';
import { evaluator } from '../testing/serve.ts';
import { convertLaunchDarkly } from './launchdarkly.ts';
import { convertUnleash } from './unleash.ts';

describe('a dependency that cannot be kept', () => {
  const feature = (name: string, more: object = {}) => ({
    name,
    enabled: true,
    strategies: [{ name: 'default' }],
    ...more,
  });

  it.each([
    [
      'asks for a parent that is off',
      { feature: 'parent', enabled: false },
      'lost flag child: its parent parent must be off',
    ],
    [
      'names a parent that is not in the file',
      { feature: 'gone' },
      'lost flag child: its parent gone is not in the file',
    ],
    [
      'names a parent that was left out',
      { feature: 'archived' },
      'lost flag child: its parent archived is not in the file or was not imported',
    ],
    [
      'names a variant that the parent does not have',
      { feature: 'parent', variants: ['blue'] },
      'lost flag child: the variant that its parent parent must serve does not exist',
    ],
  ])('leaves the child of Unleash off where it %s', (_, dependency, note) => {
    const converted = convertUnleash({
      features: [
        feature('parent'),
        feature('archived', { archived: true }),
        feature('child', { dependencies: [dependency] }),
      ],
    });
    const ask = evaluator(converted, 'default');
    expect(ask('parent', {}).value).toBe(true);
    expect(ask('child', {})).toMatchObject({ value: false, reason: 'OFF' });
    expectNotes(converted.notes, [note, 'lost flag archived: it is archived']);
  });

  it('is kept when a prerequisite can express it', () => {
    const converted = convertUnleash({
      features: [feature('parent'), feature('child', { dependencies: [{ feature: 'parent', enabled: true }] })],
    });
    expect(evaluator(converted, 'default')('child', {})).toMatchObject({ value: true, reason: 'RULE_MATCH' });
    expect(converted.notes).toEqual([]);
  });

  it('is kept with those of its variants that the parent has', () => {
    const variants = [{ name: 'blue', weight: 1000, payload: { type: 'string', value: 'b' } }];
    const strategies = [
      { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'default', groupId: 'g' } },
    ];
    const converted = convertUnleash({
      features: [
        feature('parent', { variants, strategies }),
        feature('child', { dependencies: [{ feature: 'parent', variants: ['blue', 'gone'] }] }),
      ],
    });
    expect(converted.flags.find(({ key }) => key === 'child')?.prerequisites).toEqual([
      { flag: 'parent', variants: ['blue'] },
    ]);
    expect(evaluator(converted, 'default')('child', { targetingKey: 'u' })).toMatchObject({ value: true });
  });

  it('turns a LaunchDarkly flag off only in environments where the prerequisite held', () => {
    const served = { on: true, salt: 's', fallthrough: { variation: 0 }, offVariation: 1 };
    const flag = (key: string, environments: object) => ({
      key,
      kind: 'boolean',
      variations: [{ value: true }, { value: false }],
      environments,
    });
    const needs = { prerequisites: [{ key: 'parent', variation: 0 }] };
    const converted = convertLaunchDarkly({
      items: [
        flag('parent', { production: served, test: served }),
        flag('child', { production: { ...served, ...needs }, test: served }),
      ],
    });
    expect(evaluator(converted, 'production')('child', {})).toMatchObject({ value: false, reason: 'OFF' });
    expect(evaluator(converted, 'test')('child', {})).toMatchObject({ value: true });
    expectNotes(converted.notes, ['lost flag child: the prerequisite parent does not hold in test']);
    expect(converted.notes[0]?.what).toContain('the flag is off in production');
  });
});
