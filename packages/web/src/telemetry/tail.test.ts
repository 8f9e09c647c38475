import { expect, it } from 'vitest';
import { createEventReader, type ServerEvent } from './tail.ts';

function eventsOf(...pieces: string[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const read = createEventReader((event) => events.push(event));
  for (const piece of pieces) read(piece);
  return events;
}

it('reads complete events from text cut anywhere', () => {
  const text = ': hello\n\nevent: row\nid: 17\ndata: {"a":1}\n\nevent: dropped\r\ndata: {"count":3}\r\n\r\n';
  const whole = eventsOf(text);
  expect(whole).toEqual([
    { event: 'row', data: '{"a":1}', id: '17' },
    { event: 'dropped', data: '{"count":3}', id: '17' },
  ]);
  expect(eventsOf(...text)).toEqual(whole);
});

it('ignores an event without data, and joins several data lines', () => {
  expect(eventsOf('event: row\n\ndata: a\ndata: b\n\n')).toEqual([{ event: 'message', data: 'a\nb', id: undefined }]);
});
