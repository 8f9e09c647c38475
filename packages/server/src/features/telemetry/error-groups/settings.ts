import { count, setting } from '../../../platform/settings.ts';

export const errorGroupSettings = {
  groups: setting('FANION_ERROR_GROUPS', count(10, 100_000).default(10_000), {
    help: 'Different errors (by type and stack) in one window. With more, the list of errors fails and suggests a narrower window',
  }),
  states: setting('FANION_ERROR_STATES', count(1, 100_000).default(10_000), {
    help: 'Errors of one project that people have resolved, ignored or reopened',
  }),
  lookBackDays: setting('FANION_ERROR_LOOK_BACK_DAYS', count(0, 30).default(7), {
    help: 'Days before the window that are searched for errors, to find when they were first seen and whether they are new since a deploy',
  }),
};
