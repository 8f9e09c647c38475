import type { Command } from './command.ts';

export const createToken: Command = {
  name: 'token create',
  summary: 'make an API token',
  example: 'fanion token create --name collector --permissions telemetry:ingest --pin --project shop',
  connects: true,
  options: {
    name: { type: 'string', value: 'NAME', help: 'of the new token' },
    permissions: { type: 'string', value: 'LIST', help: 'separated by commas: telemetry:ingest,flags:read' },
    pin: { type: 'boolean', help: 'only for the project of --project' },
    environment: { type: 'string', value: 'KEY', help: 'only for this environment of the project; implies --pin' },
    'expires-in': { type: 'string', value: 'DAYS', help: 'days until it expires (default: never)' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  async run(call, terminal) {
    const { makeToken } = await import('./create-token.ts');
    return makeToken(call, terminal);
  },
};
