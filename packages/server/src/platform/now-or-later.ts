import type { Log } from './log.ts';

export interface NowOrLater {
  /** Whether the work was done before `nowOrLater` returned. */
  readonly done: boolean;
  /** Runs `next` after the work: now, or when the work is done. Throws the error of `next` only if it runs now. */
  follow(next: () => Promise<void>): Promise<void>;
  /** Abandons work that is not done yet. */
  stop(): void;
}

/**
 * Does start-up work that depends on another service. If that is down and the server can wait, it retries in the
 * background until it succeeds. Otherwise throws the error of the first attempt.
 */
export async function nowOrLater(
  work: () => Promise<void>,
  options: { canWait: (error: unknown) => boolean; log: Log; retryMs?: number },
): Promise<NowOrLater> {
  const { canWait, log, retryMs = 2_000 } = options;
  const followers: (() => Promise<void>)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let done = false;

  async function again(): Promise<void> {
    try {
      await work();
      done = true;
      for (const next of followers) await next();
      log.info('what the start-up had to leave out is done');
    } catch (error) {
      if (stopped) return;
      if (!canWait(error)) {
        log.error({ err: error }, 'what the start-up had to leave out is refused; it is not tried again');
        return;
      }
      timer = setTimeout(again, retryMs).unref();
    }
  }

  try {
    await work();
    done = true;
  } catch (error) {
    if (!canWait(error)) throw error;
    log.warn({ err: error }, 'starting with what this machine knows; the rest follows when the control plane is there');
    timer = setTimeout(again, retryMs).unref();
  }
  const doneAtOnce = done;
  return {
    done: doneAtOnce,
    async follow(next) {
      if (done) await next();
      else followers.push(next);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
