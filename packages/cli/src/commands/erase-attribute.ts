import { setTimeout as delay } from 'node:timers/promises';
import { createErasure, listRemovals, type RouteResponse } from '@fanion/contract';
import { type Connection, connect, UsageError } from '../files/connect.ts';
import type { Terminal } from '../files/terminal.ts';
import type { Call } from './command.ts';

const pollMs = 1_000;

type Erasure = RouteResponse<typeof createErasure>;

/** `fanion erase`. */
export async function eraseAttribute({ texts, flags }: Call, terminal: Terminal): Promise<number> {
  const [, attribute, value] = /^([^=]+)=(.+)$/s.exec(texts.attribute ?? '') ?? [];
  if (attribute === undefined || value === undefined)
    throw new UsageError('name the attribute and its value: --attribute user.id=8f3a');
  const connection = await connect(texts, terminal.env);
  const { client, scope } = connection;
  if (!flags.has('yes')) {
    terminal.out(`would delete from the project ${scope.p} all telemetry with ${attribute} = ${value}; --yes does it`);
    return 0;
  }
  const ordered = await client.call(createErasure, { params: scope, body: { attribute, value } });
  const last = flags.has('wait') ? await cleared(connection, ordered.data, terminal) : ordered.data;
  if (flags.has('json')) terminal.out(JSON.stringify(last));
  else
    terminal.out(`${flags.has('wait') ? 'deleted' : 'ordered'}: telemetry with ${attribute} = ${value} (${last.id})`);
  return 0;
}

/** Waits until the first pass over all tables has ended. */
async function cleared({ client, scope }: Connection, erasure: Erasure, terminal: Terminal): Promise<Erasure> {
  let shown = '';
  for (let now = erasure; ; await delay(pollMs)) {
    const { data } = await client.call(listRemovals, { params: { ws: scope.ws }, query: { limit: 100 } });
    now = data.find(({ id }) => id === erasure.id) ?? now;
    const { removed, total } = now.tables;
    if (removed === total) return now;
    const state = `${removed} of ${total} tables${now.error === null ? '' : `; the last step failed: ${now.error}`}`;
    if (state !== shown) terminal.err(`fanion erase: ${state}`);
    shown = state;
  }
}
