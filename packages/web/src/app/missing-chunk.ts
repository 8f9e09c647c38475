import { connection } from '../api/connection.ts';

const KEY = 'fanion.reloaded-for-chunk';
/** A part that is missing again within this time will not be there after another reload either. */
const ONCE_WITHIN_MS = 60_000;

/**
 * Reloads the page if a part of the application is missing, once: then it belongs to the version that the server has now.
 * If the server does not answer, a reload would lose the page; then nothing happens until it does.
 */
export async function reloadForMissingChunk(): Promise<void> {
  const isUp = await fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isUp) {
    connection.failed();
    return;
  }
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < ONCE_WITHIN_MS) return;
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
}

/** Handles parts of the application that cannot be loaded, whichever page needs them. */
export function watchChunks(): void {
  let isMissing = false;
  window.addEventListener('vite:preloadError', ({ payload }) => {
    isMissing = true;
    // The router reloads by itself where a script is missing, which loses the page while the server is away.
    sessionStorage.setItem(`tanstack_router_reload:${payload.message}`, '1');
    void reloadForMissingChunk();
  });
  // The browser keeps the failure until the page is loaded again.
  connection.subscribe(() => {
    if (isMissing && connection.current().state === 'up') void reloadForMissingChunk();
  });
}
