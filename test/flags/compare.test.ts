import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, startCommandLine } from './command-line.ts';

/** `fanion compare` after an import: the products' own SDKs against the composed server. */
describe('fanion compare', () => {
  let commands: CommandLine;
  let sdkKey: string;
  const file = (name: string) => join(commands.directory, name);

  beforeAll(async () => {
    commands = await startCommandLine('compare');
    sdkKey = await commands.user.sdkKey('development');
    const contexts = Array.from({ length: 40 }, (_, i) => ({
      context: { targetingKey: `user-${i}`, plan: i % 2 ? 'pro' : 'free' },
    }));
    await writeFile(file('contexts.jsonl'), contexts.map((one) => JSON.stringify(one)).join('\n'));
  });
  afterAll(() => commands?.stop());

  const compare = (product: string, argv: readonly string[]) =>
    commands.run('compare', ['--from', product, ...argv], { env: { FANION_SDK_KEY: sdkKey } });

  const split = [
    { variation: 0, weight: 30_000 },
    { variation: 1, weight: 70_000 },
  ];
  const files = {
    launchdarkly: {
      flags: {
        'ld-split': {
          key: 'ld-split',
          on: true,
          salt: 'salt',
          variations: ['a', 'b'],
          offVariation: 1,
          fallthrough: { rollout: { variations: split } },
          rules: [],
        },
      },
      segments: {},
    },
    unleash: {
      version: 2,
      features: [
        {
          name: 'un-split',
          enabled: true,
          strategies: [{ name: 'flexibleRollout', parameters: { rollout: '30', groupId: 'g', stickiness: 'userId' } }],
        },
      ],
    },
    growthbook: {
      features: {
        'gb-rule': {
          defaultValue: 'x',
          rules: [
            { condition: { plan: 'pro' }, force: 'y' },
            { force: 'z', coverage: 0.5 },
          ],
        },
      },
    },
    flagd: {
      flags: {
        'fd-rule': {
          state: 'ENABLED',
          variants: { on: 7, off: 0 },
          defaultVariant: 'off',
          targeting: {
            if: [
              { '==': [{ var: 'plan' }, 'pro'] },
              'on',
              {
                fractional: [
                  ['on', 50],
                  ['off', 50],
                ],
              },
            ],
          },
        },
      },
    },
  };

  it.each(Object.entries(files))('finds no difference after an import of %s', async (product, content) => {
    await writeFile(file(product), JSON.stringify(content));
    const map = 'default=development';
    const imported = await commands.run('import', [product, file(product), '--environment-map', map, '--yes']);
    expect(imported, imported.text).toMatchObject({ code: 0 });
    const { code, text } = await compare(product, ['--contexts', file('contexts.jsonl'), file(product)]);
    expect({ code, text }).toEqual({ code: 0, text: 'no difference: 1 flag in 40 contexts' });
  });

  it('shows recorded answers that differ, by flag, and exits with 1', async () => {
    const lines = [
      { context: { targetingKey: 'ada', plan: 'pro' }, flags: { 'gb-rule': 'y', 'fd-rule': 7 } },
      { context: { targetingKey: 'bob', plan: 'pro' }, flag: 'fd-rule', value: 8 },
      { context: { targetingKey: 'bob', plan: 'pro' }, flag: 'gone', value: true },
    ];
    await writeFile(file('answers.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
    const { code, text } = await compare('flagd', ['--contexts', file('answers.jsonl')]);
    expect(code).toBe(1);
    expect(text.split('\n')).toEqual([
      '~ fd-rule: 1 of 2 answers differ, the first for {"targetingKey":"bob","plan":"pro"}',
      '    flagd: 8',
      '    Fanion: 7 (TARGETING_MATCH)',
      '- gone: Fanion does not have it',
      '2 of 3 flags in 2 contexts differ',
    ]);
    const ignored = await compare('flagd', ['--contexts', file('answers.jsonl'), '--ignore', 'gone,fd-rule']);
    expect(ignored).toEqual({ code: 0, text: 'no difference: 1 flag in 2 contexts' });
    const json = await compare('flagd', ['--contexts', file('answers.jsonl'), '--ignore', 'gone', '--json']);
    expect(JSON.parse(json.text)).toMatchObject({ flag: 'fd-rule', kind: 'differs', differing: 1, compared: 2 });
  });

  it('names what is wrong with the call', async () => {
    await writeFile(file('bad.jsonl'), '{"context":{}}\nnonsense');
    expect(await compare('split', [])).toMatchObject({ code: 2, text: expect.stringContaining('--from launchdarkly') });
    const bad = await compare('flagd', ['--contexts', file('bad.jsonl')]);
    expect(bad).toMatchObject({ code: 2, text: expect.stringContaining('bad.jsonl, line 2: not JSON') });
    const none = await compare('flagd', ['--contexts', file('contexts.jsonl')]);
    expect(none).toMatchObject({ code: 2, text: expect.stringContaining('has no answers of flagd') });
  });
});
