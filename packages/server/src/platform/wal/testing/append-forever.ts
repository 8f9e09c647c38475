/** A process that appends entries and reports the acknowledged ones to its parent, until it is killed. */
import { Wal } from '../index.ts';
import { entryOf } from './entries.ts';

const wal = await Wal.open({
  dir: process.argv[2] ?? '',
  maxBytes: 1e9,
  minFreeBytes: 0,
  fsync: true,
  division: 0,
  segmentBytes: 20_000,
  segmentItems: 1e6,
  segmentAgeMs: 50,
  segmentQuiet: { items: 1e6, ms: 50 },
  onClosed() {},
});
let next = 0;
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (;;) {
      const id = next++;
      await wal.append(entryOf(id));
      process.send?.(id);
    }
  }),
);
