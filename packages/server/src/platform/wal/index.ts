export { type Disk, realDisk } from './disk.ts';
export { decodeEntry, type Encoding, SIGNALS, type Signal, type WalEntry } from './entry.ts';
export {
  type CountedAnswer,
  decodeEvaluations,
  type Evaluations,
  encodeEvaluations,
  type SeenEvaluation,
} from './evaluations.ts';
export { readFrames } from './frame.ts';
export type { Segment } from './segment-log.ts';
export { openWal, type Wal, WalFull, type WalOptions, type WalStats } from './wal.ts';
