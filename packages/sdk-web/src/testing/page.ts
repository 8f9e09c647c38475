import { vi } from 'vitest';

/** What a browser has and Node.js does not: a page that can be hidden, and event streams, whose events the test sends. */
export function openPage(visibilityState: 'visible' | 'hidden' = 'visible') {
  const document = Object.assign(new EventTarget(), { visibilityState });
  const streams: PageStream[] = [];
  class PageStream {
    static readonly OPEN = 1;
    static readonly CLOSED = 2;
    readyState: number = PageStream.OPEN;
    onmessage: ((event: { readonly data: string }) => void) | undefined;
    constructor() {
      streams.push(this);
    }
    close(): void {
      this.readyState = PageStream.CLOSED;
    }
  }
  vi.stubGlobal('document', document);
  vi.stubGlobal('EventSource', PageStream);
  const openStreams = () => streams.filter(({ readyState }) => readyState === PageStream.OPEN);
  return {
    /** All that were ever opened. */
    streams,
    openStreams,
    show(state: 'visible' | 'hidden'): void {
      document.visibilityState = state;
      document.dispatchEvent(new Event('visibilitychange'));
    },
    announceChange(): void {
      for (const stream of openStreams()) stream.onmessage?.({ data: '{"type":"refetchEvaluation"}' });
    },
  };
}
