import { Counter, Histogram, type Registry } from '../../../platform/own-metrics.ts';

/** Counts evaluations, and how long after their slots they ended. */
export function countEvaluations(registry: Registry) {
  const evaluations = new Counter({
    name: 'fanion_alert_evaluations_total',
    help: 'Evaluations of alert rules: answered, or failed after their last attempt',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const lag = new Histogram({
    name: 'fanion_alert_evaluation_lag_seconds',
    help: 'From the slot of an evaluation to its end',
    buckets: [1, 2, 5, 10, 20, 60, 300],
    registers: [registry],
  });
  return (outcome: 'answered' | 'failed', lateMs: number) => {
    evaluations.inc({ outcome });
    lag.observe(Math.max(0, lateMs) / 1_000);
  };
}
