import { count, setting } from '../../../platform/settings.ts';

export const sloSettings = {
  perWorkspace: setting('FANION_SLOS', count(1, 100_000).default(1_000), { help: 'SLOs of one workspace' }),
  recountDays: setting('FANION_SLO_RECOUNT_DAYS', count(1, 30).default(7), {
    help: 'Days whose events are counted again once a day, for data that arrives late. Events that arrive later are not counted',
  }),
};
