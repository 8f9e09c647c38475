import { WireError, type WireReader } from './reader.ts';

/** The index for a negative or huge number. */
export const NOWHERE = 0x7fffffff;

/** Passes each field up to `end` to `read`, which returns whether it has read the value. */
export function eachField(reader: WireReader, end: number, read: (tag: number) => boolean): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if (!read(tag)) reader.skip(tag, end);
  }
  reader.finish(end);
}

/** Passes on the numbers of a list, packed or not. */
export function eachNumber(
  reader: WireReader,
  end: number,
  packed: number,
  single: number,
  visit: (index: number) => void,
): void {
  eachField(reader, end, (tag) => {
    if (tag === single) visit(indexOf(reader));
    else if (tag === packed) readPacked(reader, reader.enter(end), visit);
    else return false;
    return true;
  });
}

export function readPacked(reader: WireReader, end: number, visit: (index: number) => void): void {
  while (reader.position < end) visit(indexOf(reader));
  if (reader.position !== end) throw new WireError('a packed field ends within an element');
}

/** An `int32` as an index; a negative or huge one refers to nothing. */
export function indexOf(reader: WireReader): number {
  return Math.min(reader.varint(), NOWHERE);
}
