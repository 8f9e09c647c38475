import { open } from 'node:fs/promises';

/** Reads whole files into one reusable buffer. */
export class SegmentReader {
  #buffer = Buffer.alloc(0);

  /** The content of the file, valid until the next call. */
  async read(path: string): Promise<Buffer> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafeSlow(size);
      let length = 0;
      while (length < size) {
        const { bytesRead } = await file.read(this.#buffer, length, size - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return this.#buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  }

  /** Releases the memory. */
  release(): void {
    this.#buffer = Buffer.alloc(0);
  }
}
