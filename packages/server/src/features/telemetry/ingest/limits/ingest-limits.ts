import type { Rate } from '../../../../platform/rate-limiter.ts';
import type { BodyBytes } from './body-budget.ts';

export interface IngestLimits {
  /** Size of a request as it is sent. */
  compressedBytes: number;
  inflatedBytes: number;
  items: number;
  segmentBytes: number;
  segmentItems: number;
  segmentAgeMs: number;
  /** A segment with so many items closes when nothing was written to it for so long. */
  segmentQuiet: { items: number; ms: number };
  /** Ingest stops while the disk has less than this. */
  minFreeBytes: number;
  /** All requests in progress together. */
  bodies: BodyBytes;
  /** Requests in progress of one project; more are rejected with a retry delay. */
  rate: Rate;
  /** Distinct metric series that a project may start in a day; points of further series are rejected. */
  seriesPerDay: number;
  /** Acknowledged requests that are remembered, so that a repeated one is stored once. */
  repeats: number;
  /** How long `stop` waits for the store to take the remaining data. */
  drainMs: number;
}

export const defaultLimits: IngestLimits = {
  compressedBytes: 8 * 1024 ** 2,
  inflatedBytes: 32 * 1024 ** 2,
  items: 500_000,
  // Typical spans of so many bytes are one block of 64 MiB. More bytes would leave a second, small one, which costs a part of its own.
  segmentBytes: 56 * 1024 ** 2,
  // The most rows of a block, so that a segment of points or spans is one block.
  segmentItems: 480_000,
  segmentAgeMs: 1000,
  // Enough items for a part of their own: a sender that pauses more often than once a second would make many small ones.
  segmentQuiet: { items: 60_000, ms: 100 },
  minFreeBytes: 512 * 1024 ** 2,
  bodies: { total: 512 * 1024 ** 2, project: 256 * 1024 ** 2 },
  rate: { itemsPerSecond: 1_000_000, bytesPerSecond: 256 * 1024 ** 2 },
  seriesPerDay: 1_000_000,
  repeats: 100_000,
  drainMs: 10_000,
};
