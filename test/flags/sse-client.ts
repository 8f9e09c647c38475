export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

export interface EventStreamReader {
  readonly headers: Headers;
  /** Waits for the next event, or the next with this name, for at most 40 s. */
  next(event?: string): Promise<StreamEvent>;
  /** The last reconnection time that the server requested. */
  retryMs(): number;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Reads server-sent events as the HTML standard §9.2 parses them. Throws if the response is not a stream. */
export async function openStream(url: string, headers: Record<string, string> = {}): Promise<EventStreamReader> {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const events: StreamEvent[] = [];
  let retry = 0;
  let wake = () => {};
  const read = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    let buffer = '';
    for await (const chunk of body) {
      buffer += decoder.decode(chunk, { stream: true });
      for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
        const fields = new Map(
          buffer
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]),
        );
        buffer = buffer.slice(end + 2);
        retry = Number(fields.get('retry') ?? retry);
        const data = fields.get('data');
        if (data !== undefined)
          events.push({ event: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data });
        wake();
      }
      // A field without a blank line after it, such as the last one of a server that stops.
      const loose = /^retry: (\d+)\n$/.exec(buffer);
      if (loose !== null) retry = Number(loose[1]);
    }
  };
  const ended = read(response.body).catch(() => {
    // Either side closed the connection.
  });
  return {
    headers: response.headers,
    retryMs: () => retry,
    ended,
    close: () => controller.abort(),
    async next(event) {
      const deadline = Date.now() + 40_000;
      for (;;) {
        for (let found = events.shift(); found !== undefined; found = events.shift())
          if (event === undefined || found.event === event) return found;
        const left = deadline - Date.now();
        if (left <= 0) throw new Error(`no event ${event ?? ''} within 40 s`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
  };
}
