import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { fail } from '../platform/fail.ts';

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** The bytes of a gzip file, at most `most`. Throws `BODY_TOO_LARGE` and `MALFORMED_BODY`. */
export async function unzipped(bytes: Buffer, most: number): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw fail('BODY_TOO_LARGE', { limit: most });
    throw fail('MALFORMED_BODY', { reason: 'it is not gzip' });
  }
}
