// Preloaded into a server (`node --require`): between two turns of its event loop, the processor time of its main thread. On SIGUSR2 it
// writes the longest since the signal before, in milliseconds, to the file BLOCKS_FILE. Linux counts processor time at the ticks of its
// clock, so figures are exact to some milliseconds; unlike the time on the wall they do not depend on other work of the machine.
const { openSync, readSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread && process.argv.includes('serve')) {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(64);
  const processorMs = () => Number.parseInt(bytes.latin1Slice(0, readSync(file, bytes, 0, 64, 0)), 10) / 1e6;
  let [longest, before] = [0, processorMs()];
  setInterval(() => {
    const now = processorMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(process.env.BLOCKS_FILE, String(longest));
    longest = 0;
    before = processorMs();
  });
}
