import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const formatTime: ScalarFunction = {
  kind: 'scalar',
  name: 'format_time',
  doc: 'A time in UTC as text: %Y year, %m month, %d day, %H hour, %i minute, %S second, %a weekday, %b month by name.',
  parameters: [
    { name: 'of', type: 'timestamp' },
    { name: 'format', type: 'string', literal: true },
  ],
  returns: 'string',
  fault: ([, format]) =>
    format?.constant?.type === 'string' && /^(?:[^%]|%[YmdHiSabejyMhIpTFRDf%])*$/.test(format.constant.value)
      ? undefined
      : 'After `%`, use one of Y m d H i S a b e j y M h I p T F R D f %.',
  sql: ([of = NULL, format = NULL]) => sql`formatDateTime(${of}, ${format}, 'UTC')`,
  examples: [['format_time(2026-11-19T14:53:20Z, "%d.%m.%Y %H:%i")', '19.11.2026 14:53']],
};
