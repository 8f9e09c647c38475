import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const summaryQuantile: ScalarFunction = {
  kind: 'scalar',
  name: 'summary_quantile',
  doc: 'A quantile that the source of a summary computed, as in `summary_quantile(value, 0.99)`; null if the source did not send it, or if the metric is not a summary. It applies to one point of one series: `metric rpc.latency | extend p99 = summary_quantile(value, 0.99) | stats max(p99) by service.name`.',
  parameters: [
    { name: 'of', type: 'number' },
    { name: 'level', type: 'number', literal: true },
  ],
  returns: 'float',
  histograms: true,
  nullable: () => true,
  fault: ([of]) =>
    of?.histogram && !of.summary
      ? 'A range function keeps no quantiles of summaries: read them before it, as in `metric NAME | extend p99 = summary_quantile(value, 0.99)`.'
      : undefined,
  sql: ([, level], [of]) => {
    if (!of?.summary || !level) return NULL;
    const { levels, values } = of.summary;
    const at = sql`arrayFirstIndex(l -> abs(l - ${level}) < 1e-9, ${levels})`;
    return sql`if(${at} > 0, ${values}[${at}], NULL)`;
  },
  examples: [['summary_quantile(1.5, 0.99)', null]],
};
