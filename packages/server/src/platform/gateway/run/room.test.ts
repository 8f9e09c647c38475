import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { explainFailure } from './failures.ts';
import { whenThereIsRoom } from './room.ts';

const outOfMemory = (what: string) =>
  new ClickHouseError({
    code: '241',
    type: 'MEMORY_LIMIT_EXCEEDED',
    message: `${what} exceeded: would use 578.21 MiB`,
  });
const full = outOfMemory('(total) memory limit');
const tooLarge = outOfMemory('Query memory limit');

/** A read that fails with these errors, one after the other, and then succeeds. */
function readAfter(...errors: Error[]) {
  const read = async () => {
    read.times++;
    const error = errors.shift();
    if (error) throw error;
    return 'answer';
  };
  read.times = 0;
  return read;
}

const never = new AbortController().signal;

describe('a read that finds the memory of the store taken', () => {
  it('is asked again until there is room', async () => {
    const read = readAfter(full, full);
    expect(await whenThereIsRoom(read, never, { pauses: [1, 1, 1] })).toBe('answer');
    expect(read.times).toBe(3);
  });

  it('is not asked again if it needs more than a query may use', async () => {
    const read = readAfter(tooLarge);
    await expect(whenThereIsRoom(read, never, { pauses: [1] })).rejects.toBe(tooLarge);
    expect(read.times).toBe(1);
  });

  it('is not asked again if it ran for so long that the memory is its own', async () => {
    const read = readAfter(full);
    await expect(whenThereIsRoom(read, never, { pauses: [1], ownMs: -1 })).rejects.toMatchObject({ code: 'SVC-5002' });
    expect(read.times).toBe(1);
  });

  it('is not asked again when nobody waits for it any more', async () => {
    const read = readAfter(full);
    const asked = new AbortController();
    const answer = whenThereIsRoom(read, asked.signal, { pauses: [60_000] });
    asked.abort();
    await expect(answer).rejects.toThrow('aborted');
    expect(read.times).toBe(1);
  });

  it('ends with an error that tells to try again, not to ask for less', async () => {
    const read = readAfter(full, full);
    const failure = await whenThereIsRoom(read, never, { pauses: [1] }).catch((error) => explainFailure(error, limits));
    expect(failure).toMatchObject({ code: 'SVC-1010', retryAfterSeconds: 2 });
    expect(failure).toHaveProperty('message', expect.stringContaining('other work fills its memory'));
    expect(explainFailure(tooLarge, limits)).toMatchObject({ code: 'SVC-5002' });
  });
});

const limits = {
  maxRowsToRead: 1,
  maxMemoryBytes: 1,
  maxSeconds: 1,
  maxResultRows: 1,
  maxResultBytes: 1,
  maxRowBytes: 1,
};
