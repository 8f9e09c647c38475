import { connectionOptions } from '../files/connection-options.ts';
import type { Command } from './command.ts';

/** The first account of a server, with a workspace and a token, so that `fanion apply` can follow without a browser. */
export const setup: Command = {
  name: 'setup',
  summary: 'make the first account of a server, with a workspace and an API token',
  example: 'fanion setup --email you@example.com --workspace Acme --token-file token',
  options: {
    email: { type: 'string', value: 'ADDRESS', help: 'of the account; FANION_SETUP_EMAIL' },
    'password-file': {
      type: 'string',
      value: 'FILE',
      help: "file with the account's password; else FANION_SETUP_PASSWORD",
    },
    name: { type: 'string', value: 'NAME', help: 'of the person (default: the address up to its @)' },
    workspace: { type: 'string', value: 'NAME', help: 'of the workspace (default: chosen by the server)' },
    'token-file': { type: 'string', value: 'FILE', help: 'write the token there instead of printing it' },
    endpoint: connectionOptions.endpoint,
    json: { type: 'boolean', help: 'print JSON' },
  },
  notes: `The token has every permission of the account and does not expire. Where the account exists already, nothing is changed, and no token is made.

Exit codes: 0 made, or there already with this password; 1 a failure; 2 a mistake in the call`,
  async run(call, terminal) {
    const { setUp } = await import('./set-up.ts');
    return setUp(call, terminal);
  },
};
