import { describe, expect, it } from 'vitest';
import { optionsOf, usageOf } from './command.ts';
import { commands } from './index.ts';

const shown = commands.map((command) => [command.name, command] as const);

describe.each(shown)('the usage of fanion %s', (name, command) => {
  it('shows an example of the command', () => {
    expect(usageOf(command)).toMatch(new RegExp(`\nExample: .*\\bfanion ${name}\\b`));
  });

  it('shows only options in its example that the command has', () => {
    const used = [...(command.example ?? '').matchAll(/ --([a-z-]+)/g)].map(([, option]) => option);
    expect(Object.keys(optionsOf(command))).toEqual(expect.arrayContaining(used));
  });
});
