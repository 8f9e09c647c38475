import type { Command, Option } from './command.ts';

/** Options that only some products have. */
const options: Readonly<Record<string, Option>> = {
  'environment-map': {
    type: 'string',
    value: 'A=B',
    repeats: true,
    help: 'flags: maps environment A of the file to B of the project; A= skips A. Repeat it, or use commas',
  },
  comment: { type: 'string', value: 'TEXT', help: 'flags: comment for the history' },
  interval: {
    type: 'string',
    value: '1m',
    help: 'prometheus-rules: how often groups without an interval are evaluated (default: 1m)',
  },
  sources: {
    type: 'string',
    value: 'FILE',
    help: 'growthbook-experiments: YAML with source (OQL), unit, and OQL for the columns of each fact table or metric, by its id',
  },
  environment: {
    type: 'string',
    value: 'KEY',
    help: 'prometheus-rules: of the rules, which otherwise read the whole project; growthbook-experiments: of the experiments, otherwise the first one whose features serve them',
  },
};

export const importCommand: Command = {
  name: 'import',
  operands: 'PRODUCT FILE…',
  summary: 'import flags, rules, routes or experiments of another product',
  example: 'fanion import launchdarkly flags.json --environment-map production=live --dry-run',
  connects: true,
  options: {
    ...options,
    output: { type: 'string', value: 'DIR', help: 'write files for fanion apply instead; needs no server' },
    strict: { type: 'boolean', help: 'write nothing if something has no equivalent, with the exit code 3' },
    'dry-run': { type: 'boolean', help: 'show what would change and write nothing' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask for confirmation' },
  },
  notes: `Products: launchdarkly, unleash, flagd, growthbook: flags; growthbook-experiments: metrics and experiments, from lists of its
REST API; prometheus-rules: alerting and recording rules; alertmanager: routes, receivers and inhibition rules

Exit codes: 0 imported, also with losses in the report; 1 a problem or a failed change; 2 a mistake in the call; 3 losses with --strict`,
  async run(call, terminal) {
    const { importFiles } = await import('../imports/import.ts');
    return importFiles(call, Object.keys(options), terminal);
  },
};
