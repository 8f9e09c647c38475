import type { MetricDefinition } from '@fanion/contract';

/** The share of users with a log record, unless something else is given. */
export function testMetric(given: Partial<MetricDefinition> = {}): MetricDefinition {
  return {
    description: '',
    kind: 'conversion',
    source: 'logs',
    unit: 'user.id',
    window: null,
    direction: 'up_is_good',
    cap: null,
    guardrail: false,
    ...given,
  };
}
