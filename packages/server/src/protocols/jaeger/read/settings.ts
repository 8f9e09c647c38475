import { count, setting } from '../../../platform/settings.ts';

export const jaegerSettings = {
  traces: setting('FANION_JAEGER_TRACES', count(1, 10_000).default(1_500), {
    help: 'Traces that one search with the API of Jaeger may ask for',
  }),
  spans: setting('FANION_JAEGER_SPANS', count(1_000, 200_000).default(50_000), {
    help: 'Spans of all traces in one answer to a search with the API of Jaeger',
  }),
  names: setting('FANION_JAEGER_NAMES', count(100, 100_000).default(10_000), {
    help: 'Services, or span names of a service, in one list of the API of Jaeger',
  }),
  operationHours: setting('FANION_JAEGER_OPERATION_HOURS', count(1, 720).default(24), {
    help: 'Hours whose span names the API of Jaeger lists',
  }),
  points: setting('FANION_JAEGER_POINTS', count(100, 100_000).default(11_000), {
    help: 'Points in time of one metric of the API of Jaeger',
  }),
};
