import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const formatDuration: ScalarFunction = {
  kind: 'scalar',
  name: 'format_duration',
  doc: 'A duration in readable form.',
  parameters: [{ name: 'of', type: 'duration' }],
  returns: 'string',
  sql: ([of = NULL]) => {
    const in_ = (unit: number) => sql`toString(round(${of} / ${unit}, 2))`;
    return sql`multiIf(abs(${of}) < 1000, concat(toString(${of}), 'ns'), abs(${of}) < 1000000, concat(${in_(1e3)}, 'us'), abs(${of}) < 1000000000, concat(${in_(1e6)}, 'ms'), abs(${of}) < 60000000000, concat(${in_(1e9)}, 's'), abs(${of}) < 3600000000000, concat(${in_(6e10)}, 'm'), concat(${in_(3.6e12)}, 'h'))`;
  },
  examples: [
    ['format_duration(1500us)', '1.5ms'],
    ['format_duration(90m)', '1.5h'],
  ],
};
