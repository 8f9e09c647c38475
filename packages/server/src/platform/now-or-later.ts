import type { Log } from './log.ts';

export interface NowOrLater {
  /** Whether the work was done before `nowOrLater` came back. */
  readonly done: boolean;
  /** Runs `next` after the work: now, or when it has been done. Throws what `next` throws only where that is now. */
  follow(next: () => Promise<void>): Promise<void>;
  /** Gives up what was not done yet. */
  stop(): void;
}

/**
 * Does work that a start-up needs from elsewhere. Where that is away and the server can do without for the moment, it is
 * tried again in the background until it is there. Throws what the first attempt throws otherwise.
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
