import { tooManyQueries } from './exceptions.ts';

/** Runs a limited number of actions at once; the rest wait, first come, first served. */
export interface Lane {
  /**
   * @throws StoreException 202 when too many are waiting
   * @throws the signal's reason when it is aborted while waiting
   */
  run<Result>(action: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

export function openLane(width: number, longestQueue: number): Lane {
  let running = 0;
  const waiting = new Set<() => void>();

  function turn(signal: AbortSignal | undefined): Promise<void> {
    if (running < width) {
      running++;
      return Promise.resolve();
    }
    if (waiting.size >= longestQueue) {
      return Promise.reject(
        tooManyQueries(`Too many simultaneous queries. Maximum: ${width}, waiting: ${waiting.size}`),
      );
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', give);
        resolve();
      };
      const give = () => {
        waiting.delete(go);
        reject(signal?.reason);
      };
      waiting.add(go);
      signal?.addEventListener('abort', give, { once: true });
    });
  }

  return {
    async run(action, signal) {
      signal?.throwIfAborted();
      await turn(signal);
      try {
        return await action();
      } finally {
        // The slot is passed on, not freed, so that no new action can take it in between.
        const [next] = waiting;
        if (next) {
          waiting.delete(next);
          next();
        } else {
          running--;
        }
      }
    },
  };
}
