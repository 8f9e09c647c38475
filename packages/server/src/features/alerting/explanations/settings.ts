import { count, setting } from '../../../platform/settings.ts';

export const explanationSettings = {
  maxSeconds: setting('FANION_ALERT_EXPLAIN_SECONDS', count(1, 60).default(10), {
    help: 'Maximum run time of each query that explains an alert',
  }),
};
