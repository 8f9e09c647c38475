export { type Disk, realDisk } from './disk.ts';
export { decodeEntry, divisionOf } from './entry.ts';
export { type DamagedRange, readFrames } from './frame.ts';
export type { Segment } from './segment-log.ts';
export { type Held, openWal, type Wal, WalFull, type WalOptions, type WalStats } from './wal.ts';
