import { join } from 'node:path';
import { messageOf } from '../platform/message-of.ts';
import { networkErrorText } from '../platform/network-error.ts';
import type { StoreName } from '../store-copy/moved.ts';
import { placeOfUrl, reasonOf } from '../store-copy/place-rules.ts';
import type { MoveEntry, MovePlaces } from './audit-rules.ts';
import type { MoveRequest } from './request.ts';
import type { Source } from './source.ts';

/** Makes entries of one move. */
export type Entries = (action: MoveEntry['action'], outcome?: MoveEntry['outcome']) => MoveEntry;

export function entriesOf(
  { dataDir, to, databaseUrl, clickhouseUrl, by, now }: MoveRequest,
  stores: readonly StoreName[],
  id: string,
): Entries {
  const external: MovePlaces = {
    control: databaseUrl && placeOfUrl(databaseUrl),
    telemetry: clickhouseUrl && placeOfUrl(clickhouseUrl),
  };
  const embedded: MovePlaces = Object.fromEntries(stores.map((store) => [store, join(dataDir, store)]));
  const [source, target] = to === 'external' ? [embedded, external] : [external, embedded];
  return (action, outcome = {}) => ({
    ...{ id, action, at: new Date(now()).toISOString(), by },
    ...{ from: source, to: target, outcome },
  });
}

/** A move that fails leaves the source in use, whose audit log then has the reason. */
export async function recordingFailure<T>(
  { source, request, entry }: { readonly source: Source; readonly request: MoveRequest; readonly entry: Entries },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(networkErrorText(error), [request.databaseUrl, request.clickhouseUrl]);
    await source.record(entry('move.fail', { reason })).catch((unrecorded: unknown) => {
      const why = `${messageOf(error)}; the audit log could not be written: ${messageOf(unrecorded)}`;
      throw new Error(why, { cause: error });
    });
    throw error;
  }
}
