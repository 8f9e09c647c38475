import type { WireReader } from '../wire/reader.ts';

/** Runs `visit` with the reader at the content of each field. */
export function eachField(
  reader: WireReader,
  start: number,
  end: number,
  visit: (tag: number, stop: number) => void,
): void {
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if ((tag & 7) === 2) {
      const stop = reader.enter(end);
      visit(tag, stop);
      reader.position = stop;
    } else {
      const at = reader.position;
      visit(tag, at);
      reader.position = at;
      reader.skip(tag, end);
    }
  }
}
