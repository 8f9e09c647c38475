import { failureOf, ServerFailure } from './failure.ts';

/** Aborts a request that takes too long or is no longer needed. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts now; replaces an earlier deadline. */
  within(ms: number, message: string): void;
  pause(): void;
  /** The cause of an error of the request: often the error says only "aborted", and the deadline knows why. */
  why(error: unknown): ServerFailure;
  /** Must always be called: it also closes the connection, in any state. */
  end(): void;
}

/**
 * @param parent ends it too. `AbortSignal.any` is not used: in Node 20 its result is kept as long as the parent, which
 *   here is as long as the process.
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
