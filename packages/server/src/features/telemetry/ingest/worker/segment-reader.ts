import { type FileHandle, open } from 'node:fs/promises';
import { type DamagedRange, readFrames } from '../../../../platform/wal/index.ts';

/** Frames that follow each other in a segment. */
export interface SegmentPart {
  /** Valid while this part and the next one are used: rows share values of the entry before them. */
  payloads: Buffer[];
  damaged: { range: DamagedRange; bytes: Buffer }[];
}

/** Read at once, unless a frame is larger. */
const WINDOW_BYTES = 4 * 1024 ** 2;
const NOTHING: Buffer = Buffer.alloc(0);

/** Reads files in windows, into two buffers that are reused. */
export class SegmentReader {
  readonly #windowBytes: number;
  /** Written in turns. */
  #next = NOTHING;
  #last = NOTHING;

  constructor(windowBytes = WINDOW_BYTES) {
    this.#windowBytes = windowBytes;
  }

  /** The parts of the file: together what {@link readFrames} finds in the whole. */
  async *read(path: string): AsyncGenerator<SegmentPart, void, undefined> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      let start = 0;
      /** What was read from `start` on. */
      let rest = NOTHING;
      let wanted = this.#windowBytes;
      while (start < size) {
        const bytes = await this.#fill(file, start, rest, Math.min(wanted, size - start));
        const isEnd = start + bytes.length === size;
        const { payloads, damaged, tornAt } = readFrames(bytes);
        if (!isEnd && (damaged.length > 0 || tornAt === 0)) {
          // A frame that does not end here, or one that seems damaged because the next one does not.
          rest = bytes;
          wanted = damaged.length > 0 ? size - start : bytes.length * 2;
          continue;
        }
        const base = start;
        yield {
          payloads,
          damaged: damaged.map((range) => ({
            range: { start: base + range.start, end: base + range.end },
            bytes: bytes.subarray(range.start, range.end),
          })),
        };
        const end = isEnd ? bytes.length : (tornAt ?? bytes.length);
        start += end;
        rest = bytes.subarray(end);
        wanted = this.#windowBytes;
        [this.#next, this.#last] = [this.#last, this.#next];
      }
    } finally {
      await file.close();
    }
  }

  /** At least `wanted` bytes of the file from `start`, of which the first are known. */
  async #fill(file: FileHandle, start: number, known: Buffer, wanted: number): Promise<Buffer> {
    if (this.#next.length < wanted) this.#next = Buffer.allocUnsafeSlow(wanted);
    const buffer = this.#next;
    known.copy(buffer, 0);
    let { length } = known;
    while (length < wanted) {
      const { bytesRead } = await file.read(buffer, length, wanted - length, start + length);
      if (bytesRead === 0) throw new Error('a segment became shorter while it was read');
      length += bytesRead;
    }
    return buffer.subarray(0, length);
  }

  /** Releases the memory. */
  release(): void {
    this.#next = this.#last = NOTHING;
  }
}
