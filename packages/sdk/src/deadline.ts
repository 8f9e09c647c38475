import { failureOf, ServerFailure } from './failure.ts';

/** Ends a request whose answer does not come in time, or that is not wanted any more. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** From now on; in place of what was set before. */
  within(ms: number, message: string): void;
  pause(): void;
  /** What made the request throw this: often only "aborted" is said, and the deadline knows why. */
  why(error: unknown): ServerFailure;
  /** To be called in any case: it also closes the connection, whatever state it is in. */
  end(): void;
}

/**
 * @param parent ends it too. Not by `AbortSignal.any`: in Node 20 what it makes is kept as long as the parent lives,
 * which here is as long as the process.
 */
export function createDeadline(parent: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  let timer: NodeJS.Timeout | undefined;
  if (parent.aborted) abort();
  else parent.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    pause: () => clearTimeout(timer),
    why: (error) => failureOf(controller.signal.aborted ? controller.signal.reason : error),
    within(ms, message) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(new ServerFailure('unavailable', message)), ms);
      timer.unref();
    },
    end() {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
      controller.abort();
    },
  };
}
