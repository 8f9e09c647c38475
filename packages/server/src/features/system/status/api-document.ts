import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { workerEntry } from '../../../platform/worker-entry.ts';
import type { DocumentToBuild } from './api-document-thread.ts';

/** In the place of the server's URL, which is known only when the server listens. */
const somewhere = 'http://server.invalid';

/**
 * The API document as JSON text, for the server's URL. Few servers are ever asked for it, and building takes half a second, so
 * the first request for it starts a thread that builds it; the others wait for the same.
 */
export function createApiDocument(version: string): (serverUrl: string) => Promise<string> {
  let built: Promise<readonly string[]> | undefined;
  return async (serverUrl) => {
    built ??= build(version).catch((error: unknown) => {
      built = undefined;
      throw error;
    });
    const [before = '', after = ''] = await built;
    return before + JSON.stringify(serverUrl) + after;
  };
}

/** The text before and after the server's URL. */
async function build(version: string): Promise<readonly string[]> {
  const workerData: DocumentToBuild = { version, serverUrl: somewhere };
  const thread = new Worker(workerEntry('./api-document-thread', import.meta.url), { workerData });
  thread.unref();
  const [text] = await once(thread, 'message');
  return String(text).split(JSON.stringify(somewhere), 2);
}
