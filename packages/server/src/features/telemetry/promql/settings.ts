import { count, setting } from '../../../platform/settings.ts';

export const prometheusSettings = {
  series: setting('FANION_PROMETHEUS_SERIES', count(100, 1_000_000).default(50_000), {
    help: 'Series that one selector of a PromQL query may read',
  }),
  samples: setting('FANION_PROMETHEUS_SAMPLES', count(10_000, 50_000_000).default(5_000_000), {
    help: 'Samples that one PromQL query may hold in memory. Each takes 16 bytes, and up to 32 more while it is read',
  }),
  steps: setting('FANION_PROMETHEUS_STEPS', count(100, 100_000).default(11_000), {
    help: 'Steps of one PromQL range query, per series',
  }),
};
