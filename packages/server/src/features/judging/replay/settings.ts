import { count, setting } from '../../../platform/settings.ts';

export const replaySettings = {
  units: setting('FANION_REPLAY_UNITS', count(100, 100_000).default(10_000), {
    help: 'Units of the last hour for which the review of a flag change evaluates both configurations, the latest first',
  }),
};
