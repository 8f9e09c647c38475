import { lastEndpoint, storedToken } from './credentials.ts';
import { secretVariable } from './secret-variable.ts';
import { UsageError } from './usage-error.ts';

export { UsageError } from './usage-error.ts';

/** Options of every command that talks to a server. */
export const connectionOptions = {
  endpoint: {
    type: 'string',
    value: 'URL',
    help: "of the server; FANION_ENDPOINT, else the last login's unless a token is given, else http://127.0.0.1:8080",
  },
  token: {
    type: 'string',
    value: 'svc_pat_…',
    help: 'an API token with the permissions for what is read and written; FANION_TOKEN, else of fanion login',
  },
  workspace: { type: 'string', value: 'SLUG', help: 'FANION_WORKSPACE, else the only one' },
  project: { type: 'string', value: 'KEY', help: 'FANION_PROJECT, else default' },
} as const;

/** The options `--endpoint`, `--token`, `--workspace` and `--project`; the environment variables, then the last login, are the defaults. */
export interface ConnectionOptions {
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  readonly workspace?: string | undefined;
  readonly project?: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The URL of the server, without a slash at its end. A token that is given itself is not sent to the server of the last login: it may
 * be of another one.
 *
 * @throws UsageError
 */
export function endpointOf({ endpoint, token }: Pick<ConnectionOptions, 'endpoint' | 'token'>, env: Env): string {
  const last = givenToken({ token }, env) === undefined ? lastEndpoint(env) : undefined;
  const url = endpoint ?? env.FANION_ENDPOINT ?? last ?? 'http://127.0.0.1:8080';
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new UsageError(`--endpoint must be a URL: ${url}`);
  return url.replace(/\/+$/, '');
}

/** The API token for the server, if one is known. @throws UsageError */
export function tokenOf(options: Pick<ConnectionOptions, 'endpoint' | 'token'>, env: Env): string | undefined {
  return givenToken(options, env) ?? storedToken(endpointOf(options, env), env);
}

function givenToken({ token }: Pick<ConnectionOptions, 'token'>, env: Env): string | undefined {
  return token || secretVariable('FANION_TOKEN', env);
}
