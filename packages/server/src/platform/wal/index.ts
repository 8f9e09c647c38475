/**
 * The write-ahead log: requests are appended to a segment and acknowledged after an fsync that they share. A segment
 * that is full, or old enough, is closed and handed to the ingest worker. At its limit the log refuses requests, and
 * their senders keep the data.
 */

export { type Disk, realDisk } from './disk.ts';
export { decodeEntry, divisionOf } from './entry.ts';
export { type DamagedRange, readFrames } from './frame.ts';
export type { FrozenLog } from './freeze.ts';
export type { Segment } from './segment-log.ts';
export { type Held, Wal, WalFull, type WalOptions, type WalStats } from './wal.ts';
