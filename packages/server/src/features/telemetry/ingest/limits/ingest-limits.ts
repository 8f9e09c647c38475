import { defaultsOf, type SettingsOf } from '../../../../platform/settings.ts';
import { walSettings } from '../../../../platform/wal/settings.ts';
import { ingestSettings } from '../settings.ts';
import type { BodyBytes } from './body-budget.ts';

export interface IngestLimits
  extends SettingsOf<typeof ingestSettings>,
    Pick<SettingsOf<typeof walSettings>, 'minFreeBytes'> {
  /** Size of a request as it is sent. */
  compressedBytes: number;
  inflatedBytes: number;
  items: number;
  segmentBytes: number;
  segmentItems: number;
  segmentAgeMs: number;
  /** A segment with so many items closes when nothing was written to it for so long. */
  segmentQuiet: { items: number; ms: number };
  /** All requests in progress together. */
  bodies: BodyBytes;
  /** How long `stop` waits for the store to take the remaining data. */
  drainMs: number;
}

export const defaultLimits: IngestLimits = {
  ...defaultsOf(ingestSettings),
  minFreeBytes: defaultsOf(walSettings).minFreeBytes,
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
  bodies: { total: 512 * 1024 ** 2, project: 256 * 1024 ** 2 },
  drainMs: 10_000,
};
