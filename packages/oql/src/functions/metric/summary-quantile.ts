import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const summaryQuantile: ScalarFunction = {
  kind: 'scalar',
  name: 'summary_quantile',
  doc: 'A quantile that the source of a summary has computed, as `summary_quantile(value, 0.99)`; null where it has not sent this one, and for what is no summary. It is of one series and point: `metric rpc.latency | extend p99 = summary_quantile(value, 0.99) | stats max(p99) by service.name`.',
  parameters: [
    { name: 'of', type: 'number' },
    { name: 'level', type: 'number', literal: true },
  ],
  returns: 'float',
  histograms: true,
  nullable: () => true,
  fault: ([of]) =>
    of?.histogram && !of.summary
      ? 'A range function leaves no quantiles of summaries: read them before it, as `metric NAME | extend p99 = summary_quantile(value, 0.99)`.'
      : undefined,
  sql: ([, level], [of]) => {
    if (!of?.summary || !level) return NULL;
    const { levels, values } = of.summary;
    const at = sql`arrayFirstIndex(l -> abs(l - ${level}) < 1e-9, ${levels})`;
    return sql`if(${at} > 0, ${values}[${at}], NULL)`;
  },
  examples: [['summary_quantile(1.5, 0.99)', null]],
};
