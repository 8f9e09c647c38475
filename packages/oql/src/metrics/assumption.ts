import { type Sql, sql } from '../sql/sql.ts';

/** How the message of a statement begins that was compiled under the assumption `KnownMetrics.alike`, which does not hold. */
export const FAILED_ASSUMPTION = 'fanion: not alike';

/** False; where a row breaks the assumption, the statement fails. */
export function assumed(broken: Sql): Sql {
  return sql`throwIf(${broken}, 'fanion: not alike')`;
}
