export { type Disk, realDisk } from './disk.ts';
export {
  decodeEntry,
  type Encoding,
  SIGNALS,
  type Signal,
  WAL_SIGNALS,
  type WalEntry,
  type WalSignal,
} from './entry.ts';
export {
  type CountedAnswer,
  decodeEvaluations,
  type Evaluations,
  encodeEvaluations,
  type SeenEvaluation,
} from './evaluations.ts';
export { type DamagedRange, readFrames, type SegmentContent } from './frame.ts';
export type { Segment } from './segment-log.ts';
export { openWal, type Wal, WalFull, type WalOptions, type WalStats } from './wal.ts';
