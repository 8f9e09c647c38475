import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type Client, createClient, listWorkspaces } from '@fanion/contract';
import { type ConnectionOptions, endpointOf, tokenOf, UsageError } from './connection-options.ts';

export { UsageError } from './connection-options.ts';

/** A client and the project whose flags it reads and writes. */
export interface Connection {
  readonly client: Client;
  readonly scope: { readonly ws: string; readonly p: string };
}

/** @throws UsageError, ApiError */
export async function connect(
  options: ConnectionOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Connection> {
  const client = patient(createClient(accessOf(options, env)));
  const ws = options.workspace ?? env.FANION_WORKSPACE ?? (await onlyWorkspace(client));
  return { client, scope: { ws, p: options.project ?? env.FANION_PROJECT ?? 'default' } };
}

/** The server, and the headers that a request to it needs. @throws UsageError */
export function accessOf(options: ConnectionOptions, env: Readonly<Record<string, string | undefined>>) {
  const token = tokenOf(options, env);
  if (token === undefined)
    throw new UsageError('missing API token: run fanion login, or set --token svc_pat_… or FANION_TOKEN');
  return { baseUrl: endpointOf(options, env), headers: { authorization: `Bearer ${token}` } };
}

async function onlyWorkspace(client: Client): Promise<string> {
  const { data } = await client.call(listWorkspaces, {});
  const [workspace] = data;
  if (workspace !== undefined && data.length === 1) return workspace.slug;
  const slugs = data.map(({ slug }) => slug).join(', ');
  throw new UsageError(`name the workspace: --workspace ${slugs === '' ? '…' : `(one of ${slugs})`}`);
}

const ATTEMPTS = 6;
const MAX_WAIT_MS = 60_000;

/** A client that waits when the server asks it to, and retries reads when it cannot reach the server. */
function patient(client: Client): Client {
  return {
    async call(route, given) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await client.call(route, given);
        } catch (error) {
          if (!(error instanceof ApiError) || attempt === ATTEMPTS) throw error;
          // The write may have succeeded even though its response was lost.
          const isSafe =
            error.status === 429 || (error.status === 503 && route.reads) || (error.status === 0 && route.reads);
          if (!isSafe) throw error;
          await sleep(Math.min((error.retryAfterSeconds ?? 2 ** attempt * 0.25) * 1_000, MAX_WAIT_MS));
        }
      }
    },
  };
}
