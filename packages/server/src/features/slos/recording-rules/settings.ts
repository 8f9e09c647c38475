import { count, setting } from '../../../platform/settings.ts';

export const recordingRuleSettings = {
  perWorkspace: setting('FANION_RECORDING_RULES', count(1, 100_000).default(1_000), {
    help: 'Recording rules of one workspace',
  }),
  series: setting('FANION_RECORDING_RULE_SERIES', count(1, 100_000).default(10_000), {
    help: 'Series that a recording rule writes in one step. If its query returns more, the rule fails',
  }),
};
