import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, property } from './api-client.ts';

const EVERY_MS = 500;
/** Live traffic makes up for a minute that it missed, not for more. */
const WITHIN_MS = 45_000;

/** Resolves when the server has stored what it has acknowledged, or after 45 s: it says with each answer what it has not stored yet. */
export async function untilStored(api: ApiClient, place: { workspace: string; project: string }): Promise<void> {
  const question = { query: 'spans | stats spans=count()', project: place.project, from: 'now-1m', to: 'now' };
  const deadline = Date.now() + WITHIN_MS;
  while (Date.now() < deadline) {
    const meta = await api.metaOf(`/api/v1/workspaces/${place.workspace}/query`, question);
    if (property(property(meta, 'completeness'), 'unstored') === null) return;
    await sleep(EVERY_MS);
  }
}
