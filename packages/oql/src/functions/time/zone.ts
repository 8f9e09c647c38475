import { noZone, timeZone } from '../../calendar/zones.ts';
import type { Value } from '../../check/value.ts';
import { type Sql, sql, text } from '../../sql/sql.ts';
import type { Parameter } from '../definition.ts';

/** The last parameter of functions of the calendar. */
export const ZONE: Parameter = { name: 'zone', type: 'string', optional: true, literal: true };

/** The time zone of an argument, by default UTC. */
export function zoneOf(value: Value | undefined): Sql {
  const zone = value?.constant?.type === 'string' ? timeZone(value.constant.value) : undefined;
  return zone === undefined ? sql`'UTC'` : text(zone);
}

export function zoneFault(value: Value | undefined): string | undefined {
  if (value?.constant?.type !== 'string') return undefined;
  return timeZone(value.constant.value) === undefined ? noZone(value.constant.value) : undefined;
}
