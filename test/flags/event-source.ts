import { type EventStreamReader, openStream } from './sse-client.ts';

type Listener = (event: { readonly data: string; readonly lastEventId: string; readonly type: string }) => void;

/**
 * `EventSource` of the HTML standard §9.2 as far as the stock web provider uses it, since Node has none: after an error
 * it reconnects with the last event id.
 */
export class NodeEventSource {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  readonly url: string;
  readyState: number = NodeEventSource.CONNECTING;
  onopen: (() => void) | null = null;
  onmessage: Listener | null = null;
  onerror: (() => void) | null = null;
  readonly #listeners = new Map<string, Set<Listener>>();
  #reader: EventStreamReader | undefined;
  #seen = '';

  constructor(url: string | URL) {
    this.url = String(url);
    void this.#run();
  }

  addEventListener(type: string, listener: Listener): void {
    const known = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, known.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  close(): void {
    this.readyState = NodeEventSource.CLOSED;
    this.#reader?.close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed()) {
      const headers: Record<string, string> = this.#seen === '' ? {} : { 'last-event-id': this.#seen };
      try {
        this.#reader = await openStream(this.url, headers);
        if (this.#isClosed()) return this.#reader.close();
        this.readyState = NodeEventSource.OPEN;
        this.onopen?.();
        this.#tell('open', { data: '', id: '' });
        for (;;) {
          const { event, id, data } = await this.#reader.next();
          this.#seen = id;
          this.#tell(event, { data, id });
        }
      } catch {
        if (this.#isClosed()) return;
        this.readyState = NodeEventSource.CONNECTING;
        this.onerror?.();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  #isClosed(): boolean {
    return this.readyState === NodeEventSource.CLOSED;
  }

  #tell(type: string, { data, id }: { data: string; id: string }): void {
    const event = { data, lastEventId: id, type };
    if (type === 'message') this.onmessage?.(event);
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}
