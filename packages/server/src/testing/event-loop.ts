import { readFileSync } from 'node:fs';

/** Nanoseconds of the processor that the calling thread has used. Linux only. */
const used = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);

/**
 * The longest time, in milliseconds, that one turn of the event loop kept the processor while `work` ran. Unlike the delay of a
 * timer, it does not depend on what else the machine does.
 */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = used();
  let ended = false;
  const measure = () => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
    if (!ended) setImmediate(measure);
  };
  setImmediate(measure);
  try {
    await work();
  } finally {
    ended = true;
    measure();
  }
  return longest / 1e6;
}
