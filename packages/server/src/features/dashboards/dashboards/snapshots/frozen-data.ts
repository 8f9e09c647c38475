import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/**
 * Lines of data, compressed; undefined if they are larger than `most` bytes before that.
 * @param most the lines are in memory together, so that this is limited, and not only what is stored
 */
export async function frozen(lines: AsyncIterable<string | Uint8Array>, most: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const line of lines) {
    const part = typeof line === 'string' ? Buffer.from(line) : line;
    size += part.byteLength;
    if (size > most) return undefined;
    parts.push(part);
  }
  return compress(Buffer.concat(parts));
}
