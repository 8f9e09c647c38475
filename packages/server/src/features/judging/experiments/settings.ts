import { count, setting } from '../../../platform/settings.ts';

export const experimentSettings = {
  perProject: setting('FANION_EXPERIMENTS', count(1, 100_000).default(1_000), {
    help: 'Experiments of one project, including stopped and archived ones',
  }),
};
