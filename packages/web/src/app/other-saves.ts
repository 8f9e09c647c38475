import type { Query } from '@tanstack/react-query';
import { areaOf, whenWritten } from '../api/client.ts';
import { connection } from '../api/connection.ts';
import { endedSession } from './ended-session.ts';
import { queryClient } from './query-client.ts';

/** How often documents on the page are compared with what is saved. Each is one read by its key. */
const EVERY_MS = 5_000;
const CHANNEL = 'fanion-saves';

/** Whether a response is a document that people edit: each save gives it another version. */
export function isDocument(data: unknown): data is { readonly version: number } {
  return typeof data === 'object' && data !== null && 'version' in data && typeof data.version === 'number';
}

/**
 * Keeps documents on the page up to date: after a save in another tab of this browser at once, and after saves of other
 * people within seconds, while somebody looks. Editors hold the version that they began with, see `DraftOf`.
 */
export function followOtherSaves(): void {
  const channel = new BroadcastChannel(CHANNEL);
  whenWritten((area) => channel.postMessage(area));
  channel.onmessage = ({ data: area }: MessageEvent<string>) => {
    void queryClient.invalidateQueries({
      predicate: (query) => isShownDocument(query) || areaOf(String(query.queryKey[0])) === area,
    });
  };
  setInterval(readDocuments, EVERY_MS);
  document.addEventListener('visibilitychange', readDocuments);
}

function readDocuments(): void {
  if (document.visibilityState !== 'visible' || connection.current().state === 'down' || endedSession.hasEnded())
    return;
  void queryClient.refetchQueries({ type: 'active', predicate: isShownDocument }, { cancelRefetch: false });
}

function isShownDocument(query: Query): boolean {
  return query.isActive() && isDocument(query.state.data);
}
