/** Options of every command that talks to a server. */
export const connectionOptions = {
  endpoint: { type: 'string', value: 'URL', help: 'of the server; FANION_ENDPOINT, else http://127.0.0.1:8080' },
  token: {
    type: 'string',
    value: 'svc_pat_…',
    help: 'an API token with the permissions for what is read and written; FANION_TOKEN',
  },
  workspace: { type: 'string', value: 'SLUG', help: 'FANION_WORKSPACE, else the only one' },
  project: { type: 'string', value: 'KEY', help: 'FANION_PROJECT, else default' },
} as const;

/** The options `--endpoint`, `--token`, `--workspace` and `--project`; the environment variables are the defaults. */
export interface ConnectionOptions {
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  readonly workspace?: string | undefined;
  readonly project?: string | undefined;
}

/** A mistake in how a command was called. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The URL of the server, without a slash at its end. */
export function endpointOf(
  { endpoint }: Pick<ConnectionOptions, 'endpoint'>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const url = endpoint ?? env.FANION_ENDPOINT ?? 'http://127.0.0.1:8080';
  if (!URL.canParse(url)) throw new UsageError(`--endpoint must be a URL: ${url}`);
  return url.replace(/\/+$/, '');
}
