import type { Command, Option } from './command.ts';

const json: Option = { type: 'boolean', help: "print the API's answer as JSON" };
const environment: Option = { type: 'string', value: 'KEY', help: 'of the project' };
const changing = {
  environment,
  reason: { type: 'string', value: 'TEXT', help: 'comment for the history and the audit log' },
  json,
} as const satisfies Readonly<Record<string, Option>>;
const notes = `If the environment requires approval, a change request is filed, and its address is printed. A change that was made since the flag
was read is not overwritten: it is read again, once.

Exit codes: 0 changed, as wanted already, or filed for approval; 1 a failure; 2 a mistake in the call`;

const turn = (state: 'on' | 'off'): Command => ({
  name: `flag ${state}`,
  operands: 'KEY',
  summary: `switch a flag ${state} in an environment`,
  example: `fanion flag ${state} new-checkout --environment production --reason "Launch"`,
  connects: true,
  options: changing,
  notes,
  async run(call, terminal) {
    const { switchFlag } = await import('../flags/change.ts');
    return switchFlag(call, state, terminal);
  },
});

const set: Command = {
  name: 'flag set',
  operands: 'KEY',
  summary: 'choose the variant that a flag serves to everybody whom no rule matches',
  example: 'fanion flag set new-checkout --environment production --variant true --percent 10',
  connects: true,
  options: {
    variant: { type: 'string', value: 'KEY', help: 'what is served' },
    percent: { type: 'string', value: 'N', help: 'to so many per cent of the units (default: 100)' },
    rest: {
      type: 'string',
      value: 'KEY',
      help: 'what the others get (default: the off variant, or the only other one)',
    },
    ...changing,
  },
  notes,
  async run(call, terminal) {
    const { setServed } = await import('../flags/change.ts');
    return setServed(call, terminal);
  },
};

const list: Command = {
  name: 'flag list',
  summary: 'list flags with their state in each environment',
  example: 'fanion flag list --search checkout',
  connects: true,
  options: { search: { type: 'string', value: 'TEXT', help: 'only flags whose key or name contains it' }, json },
  async run(call, terminal) {
    const { showFlags } = await import('../flags/show.ts');
    return showFlags(call, terminal);
  },
};

const get: Command = {
  name: 'flag get',
  operands: 'KEY',
  summary: 'show a flag, or its targeting in an environment',
  example: 'fanion flag get new-checkout --environment production',
  connects: true,
  options: { environment, json },
  async run(call, terminal) {
    const { showFlag } = await import('../flags/show.ts');
    return showFlag(call, terminal);
  },
};

export const flagCommands: readonly Command[] = [turn('on'), turn('off'), set, list, get];
