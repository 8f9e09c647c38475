import { fail } from '../../../platform/fail.ts';

interface Waiting {
  readonly start: () => void;
  readonly workspace: number;
}

/**
 * At most `perWorkspace` queries of a workspace run at once; a few more wait a moment, the rest is told to come back.
 * So one workspace's dashboards cannot take the store away from the others.
 */
export function createTurnstile({
  perWorkspace,
  maxWaiting,
  waitMs,
}: {
  perWorkspace: number;
  maxWaiting: number;
  waitMs: number;
}) {
  const running = new Map<number, number>();
  const waiting: Waiting[] = [];

  function leave(workspace: number): void {
    const next = waiting.findIndex((w) => w.workspace === workspace);
    if (next >= 0) {
      waiting.splice(next, 1)[0]?.start();
      return;
    }
    const count = (running.get(workspace) ?? 1) - 1;
    if (count === 0) running.delete(workspace);
    else running.set(workspace, count);
  }

  async function wait(workspace: number, signal: AbortSignal): Promise<void> {
    const count = running.get(workspace) ?? 0;
    if (count < perWorkspace) {
      running.set(workspace, count + 1);
      return;
    }
    signal.throwIfAborted();
    const full = () => fail('QUERY_QUEUE_FULL', { running: count }, { retryAfterSeconds: 1 });
    if (waiting.filter((w) => w.workspace === workspace).length >= maxWaiting) throw full();
    await new Promise<void>((resolve, reject) => {
      const entry: Waiting = {
        workspace,
        start: () => {
          cleanUp();
          resolve();
        },
      };
      const giveUp = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        cleanUp();
        reject(full());
      };
      const timer = setTimeout(giveUp, waitMs);
      const cleanUp = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(entry);
    });
  }

  async function enter(workspace: number, signal: AbortSignal): Promise<() => void> {
    await wait(workspace, signal);
    let isIn = true;
    return () => {
      if (isIn) leave(workspace);
      isIn = false;
    };
  }

  return {
    running: () => [...running.values()].reduce((sum, count) => sum + count, 0),
    /** Waits for a place; what is given back leaves it, once. Throws `QUERY_QUEUE_FULL`. */
    enter,
    async pass<T>(workspace: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      await wait(workspace, signal);
      try {
        return await work();
      } finally {
        leave(workspace);
      }
    },
  };
}
export type Turnstile = ReturnType<typeof createTurnstile>;
