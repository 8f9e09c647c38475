import { expect, it } from 'vitest';
import { BrokenStream, readEvents } from './events.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function read(chunks: AsyncIterable<Uint8Array>) {
  const events = [];
  let heard = 0;
  for await (const event of readEvents(chunks, () => heard++)) events.push(event);
  return { events, heard };
}

it('reads events that are cut anywhere, even inside a character, and hears comments', async () => {
  const stream = bytes(':\n\nevent: ready\ndata: {}\n\nevent: row\nid: 12\ndata: {"body":"schön: ja"}\n\nevent: row\n');
  async function* single() {
    for (const byte of stream) yield Uint8Array.of(byte);
  }
  expect(await read(single())).toEqual({
    events: [
      { event: 'ready', id: undefined, data: '{}' },
      { event: 'row', id: '12', data: '{"body":"schön: ja"}' },
    ],
    heard: stream.length,
  });
});

it('tells a broken connection from the end of the stream', async () => {
  async function* broken() {
    yield bytes('data: 1\n\n');
    throw new TypeError('terminated');
  }
  await expect(read(broken())).rejects.toThrow(BrokenStream);
});
