import { connectionOptions, endpointOf } from '../files/connection-options.ts';
import type { Command } from './command.ts';

const { endpoint } = connectionOptions;

export const login: Command = {
  name: 'login',
  summary: 'verify an API token and store it for later commands',
  example: 'fanion login --endpoint https://fanion.example.com',
  options: { endpoint },
  notes: `Asks for the token on a terminal, and otherwise reads it from standard input. The token is stored in
$XDG_CONFIG_HOME/fanion/credentials.json, else ~/.config/fanion/credentials.json, which only you can read. --token and FANION_TOKEN
have priority over it. The endpoint of the last login is the default of later commands.

Exit codes: 0 stored; 1 the server does not accept the token, or is out of reach; 2 a mistake in the call`,
  async run(call, terminal) {
    const { logIn } = await import('./log-in.ts');
    return logIn(call, terminal);
  },
};

export const logout: Command = {
  name: 'logout',
  summary: 'remove the stored API token of a server',
  example: 'fanion logout --endpoint https://fanion.example.com',
  options: { endpoint },
  notes: 'The token stays valid: revoke it under Settings, API tokens, if somebody else may know it.',
  async run({ texts }, { env, out }) {
    const { removeToken } = await import('../files/credentials.ts');
    const url = endpointOf(texts, env);
    out(removeToken(url, env) ? `removed the token of ${url}` : `no token of ${url} is stored`);
    return 0;
  },
};
