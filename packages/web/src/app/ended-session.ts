import { getMe } from '@fanion/contract';
import { call } from '../api/client.ts';
import { routeQuery } from '../api/queries.ts';
import { queryClient } from './query-client.ts';

/** The account that the page was opened with; undefined before it is known. */
export function knownAccount(): string | undefined {
  return queryClient.getQueryData(routeQuery(getMe, {}).queryKey)?.user.id;
}

const listeners = new Set<() => void>();
const resumeListeners = new Set<() => void>();
let hasEnded = false;

function become(ended: boolean): void {
  if (hasEnded === ended) return;
  hasEnded = ended;
  for (const listener of listeners) listener();
}

/** Whether the session ended while a page is open. The page stays, with what was entered on it, until somebody signs in. */
export const endedSession = {
  /** For `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  hasEnded: () => hasEnded,
  end: () => become(true),
  whenResumed(listener: () => void): () => void {
    resumeListeners.add(listener);
    return () => void resumeListeners.delete(listener);
  },
};

/** Whether the session is of the account that the page belongs to. Under another account, the page is loaded again. */
export async function sameAccount(): Promise<boolean> {
  const { data } = await call(getMe, {});
  if (data.user.id === knownAccount()) return true;
  location.reload();
  return false;
}

/** After a sign-in: reads again what was refused. Throws `ApiError` while there is still no session. */
export async function resumeSession(): Promise<void> {
  if (!(await sameAccount())) return;
  become(false);
  for (const listener of resumeListeners) listener();
}

const CHANNEL = 'fanion-account';
let channel: BroadcastChannel | undefined;

/** Listens for sign-ins and sign-outs in other tabs and windows. They share the cookie with this one. */
export function listenForAccounts(listener: () => void): void {
  channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
}

/** Notifies other tabs that this one has signed in or out. */
export function announceAccount(): void {
  channel?.postMessage(null);
}
