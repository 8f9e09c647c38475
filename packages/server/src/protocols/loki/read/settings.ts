import { count, setting } from '../../../platform/settings.ts';

export const lokiSettings = {
  lines: setting('FANION_LOKI_LINES', count(1_000, 5_000_000).default(500_000), {
    help: 'Log lines that one LogQL query may read from the store for stages that the store cannot evaluate',
  }),
  answerLines: setting('FANION_LOKI_ANSWER_LINES', count(100, 100_000).default(5_000), {
    help: 'Most lines that a LogQL query returns',
  }),
  series: setting('FANION_LOKI_SERIES', count(10, 100_000).default(500), {
    help: 'Most series that a function of log lines has in a LogQL query',
  }),
  steps: setting('FANION_LOKI_STEPS', count(100, 100_000).default(11_000), {
    help: 'Steps of one LogQL range query, per series',
  }),
};

export interface LokiLimits {
  readonly lines: number;
  readonly answerLines: number;
  readonly series: number;
  readonly steps: number;
}
