/**
 * How many reads somebody waits for, in memory that all threads of the server see, so that work that can wait gives them its
 * processor. Each part holds one 32-bit number.
 */
export interface ReadsInFlight {
  readonly shared: SharedArrayBuffer;
  /** The returned function says that the read has ended. */
  begin(): () => void;
}

export function countReads(): ReadsInFlight {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(shared);
  return {
    shared,
    begin() {
      Atomics.add(count, 0, 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        Atomics.sub(count, 0, 1);
        Atomics.notify(count, 0);
      };
    },
  };
}

/**
 * For a thread that works in slices: call it between them. It stops the whole thread while there are reads, but no longer than `mostMs`,
 * so that reads that never end do not stop its work.
 */
export function givingWay(shared: SharedArrayBuffer, mostMs: number): () => void {
  const count = new Int32Array(shared);
  return () => {
    const end = performance.now() + mostMs;
    for (let left = mostMs; left > 0; left = end - performance.now()) {
      const reads = Atomics.load(count, 0);
      if (reads === 0) return;
      Atomics.wait(count, 0, reads, left);
    }
  };
}
