/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** The connection ended before the response did. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

/**
 * Reads a stream of server-sent events (WHATWG HTML, 9.2.6), as far as Fanion's server writes them: lines end with LF.
 *
 * @param onHeard called for everything that arrives, also for comments
 * @throws BrokenStream
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  onHeard: () => void,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of unbroken(body)) {
    onHeard();
    const frames = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const fields = frame.split('\n').map((line) => /^(event|id|data): ?(.*)$/.exec(line));
      const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []));
      const data = valuesOf('data');
      if (data.length === 0) continue;
      yield { event: valuesOf('event').at(-1) ?? 'message', id: valuesOf('id').at(-1), data: data.join('\n') };
    }
  }
}

async function* unbroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (cause) {
    throw new BrokenStream('the connection broke', { cause });
  }
}
