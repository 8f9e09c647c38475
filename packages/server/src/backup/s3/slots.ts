/** Bounds requests in progress and the memory of their bodies. */
export interface Slots {
  /** Waits for its turn, in order. @returns what gives the slot back */
  take(bytes: number): Promise<() => void>;
}

/** @param bytes one larger body goes alone */
export function createSlots({ requests, bytes }: { readonly requests: number; readonly bytes: number }): Slots {
  let free = { requests, bytes };
  const waiting: { readonly weight: number; readonly start: () => void }[] = [];

  function startNext(): void {
    for (;;) {
      const [next] = waiting;
      if (next === undefined || free.requests === 0 || free.bytes < next.weight) return;
      waiting.shift();
      free = { requests: free.requests - 1, bytes: free.bytes - next.weight };
      next.start();
    }
  }

  return {
    take(size) {
      const weight = Math.min(size, bytes);
      return new Promise((resolve) => {
        const release = () => {
          free = { requests: free.requests + 1, bytes: free.bytes + weight };
          startNext();
        };
        waiting.push({ weight, start: () => resolve(release) });
        startNext();
      });
    },
  };
}
