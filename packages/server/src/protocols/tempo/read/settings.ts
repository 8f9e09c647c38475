import { count, setting } from '../../../platform/settings.ts';

export const tempoSettings = {
  traces: setting('FANION_TEMPO_TRACES', count(20, 1_000).default(1_000), {
    help: 'Traces that one search of the Tempo API may return',
  }),
  spans: setting('FANION_TEMPO_SPANS', count(1_000, 199_999).default(150_000), {
    help: 'Spans that one search of the Tempo API may hold in memory: those that match, or where a query relates spans, all of its traces',
  }),
  series: setting('FANION_TEMPO_SERIES', count(100, 50_000).default(5_000), {
    help: 'Series of one TraceQL metrics query',
  }),
  steps: setting('FANION_TEMPO_STEPS', count(100, 11_000).default(11_000), {
    help: 'Steps of one TraceQL metrics query, per series',
  }),
  samples: setting('FANION_TEMPO_SAMPLES', count(1_000, 5_000_000).default(500_000), {
    help: 'Samples that one TraceQL metrics query may return: its series times its steps',
  }),
};

export type TempoLimits = { readonly [Name in keyof typeof tempoSettings]: number };
