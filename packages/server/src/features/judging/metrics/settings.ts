import { count, setting } from '../../../platform/settings.ts';

export const metricSettings = {
  perProject: setting('FANION_FLAG_METRICS', count(1, 10_000).default(500), {
    help: 'Flag metrics of one project, without the built-in ones',
  }),
};
