import { count, setting } from '../../../platform/settings.ts';

export const alertSettings = {
  rules: setting('FANION_ALERT_RULES', count(1, 100_000).default(10_000), { help: 'Alert rules of one workspace' }),
  instances: setting('FANION_ALERT_INSTANCES', count(1, 10_000).default(1_000), {
    help: 'Instances of one alert rule. A query that returns more rows fails',
  }),
  evaluationsPerSecond: setting('FANION_ALERT_EVALUATIONS_PER_SECOND', count(1, 10_000).default(1_000), {
    help: "Alert rule evaluations of one workspace per second, by the rules' intervals",
  }),
  concurrency: setting('FANION_ALERT_CONCURRENCY', count(1, 256).default(16), {
    help: 'Alert rules that one server evaluates at the same time. Their queries share the slots of the lane `alert`',
  }),
  querySeconds: setting('FANION_ALERT_QUERY_SECONDS', count(1, 60).default(20), {
    help: "Maximum run time of an alert rule's query",
  }),
};
