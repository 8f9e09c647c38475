import { maxBatchWrites } from '@fanion/contract';
import { count, type SettingsOf, setting } from '../../../platform/settings.ts';

export type BatchSettings = SettingsOf<typeof batchSettings>;

export const batchSettings = {
  maxWrites: setting('FANION_FLAG_BATCH_WRITES', count(1, maxBatchWrites).default(50_000), {
    help: 'Most writes of one batch of flags, such as `fanion import`. Meanwhile other changes of the project wait, and with the embedded control plane all reads of it',
  }),
};
