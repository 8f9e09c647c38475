import { isRecord, type StreamPlace } from './answers.ts';

export interface Stream {
  /** Whether changes arrive now. */
  readonly isOpen: boolean;
  close(): void;
}

/**
 * Follows the events of changes. The browser reconnects by itself; the server then sends what was missed.
 *
 * @param onChange gets the tag of the new version
 * @param onEnd the server refused the stream: its ticket has expired, or it has too many
 */
export function openStream(
  { url }: StreamPlace,
  onChange: (tag: string | undefined) => void,
  onEnd: () => void,
): Stream {
  const source = new EventSource(url);
  source.onmessage = ({ data }: MessageEvent<unknown>) => {
    const event = parsed(data);
    if (!isRecord(event) || event.type !== 'refetchEvaluation') return;
    onChange(typeof event.etag === 'string' ? event.etag : undefined);
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) onEnd();
  };
  return {
    get isOpen() {
      return source.readyState === EventSource.OPEN;
    },
    close: () => source.close(),
  };
}

function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    // Not an event of this protocol.
    return undefined;
  }
}

/** Calls back immediately, when the page goes to the background and when it comes back. Without a page: never. */
export function watchPage(onChange: (isHidden: boolean) => void): () => void {
  if (typeof document === 'undefined') return () => {};
  const look = () => onChange(document.visibilityState === 'hidden');
  look();
  document.addEventListener('visibilitychange', look);
  return () => document.removeEventListener('visibilitychange', look);
}
