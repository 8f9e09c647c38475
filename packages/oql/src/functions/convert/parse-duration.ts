import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const parseDuration: ScalarFunction = {
  kind: 'scalar',
  name: 'parse_duration',
  doc: 'Text such as `1h30m` or `250ms` as a duration; null if it is not a duration, or longer than 292 years.',
  parameters: [{ name: 'text', type: 'string' }],
  returns: 'duration',
  nullable: () => true,
  sql: ([text = NULL]) => {
    const parts = sql`extractAllGroupsVertical(ifNull(${text}, ''), '([0-9]+\\\\.?[0-9]*)(ns|us|µs|ms|s|m|h|d|w)')`;
    const units = sql`transform(part[2], ['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'd', 'w'], [1., 1e3, 1e3, 1e6, 1e9, 6e10, 3.6e12, 8.64e13, 6.048e14], 0.)`;
    const whole = sql`match(ifNull(${text}, ''), '^([0-9]+\\\\.?[0-9]*(ns|us|µs|ms|s|m|h|d|w))+$')`;
    return sql`if(${whole}, accurateCastOrNull(round(arraySum(arrayMap(part -> toFloat64OrZero(part[1]) * ${units}, ${parts}))), 'Int64'), NULL)`;
  },
  examples: [
    ['parse_duration("1m30.5s")', 90_500_000_000],
    ['parse_duration("soon")', null],
    ['parse_duration("99999999w")', null],
  ],
};
