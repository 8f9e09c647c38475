import { type Sql, sql } from '../sql/sql.ts';

/** How the message of a statement begins that was compiled for known metrics, where they are not what they were known to be. */
export const FAILED_ASSUMPTION = {
  /** `KnownMetrics.alike` */
  alike: 'fanion: not alike',
  /** `KnownMetrics.metrics`, where `Compiled.checksKinds` */
  kind: 'fanion: another kind',
} as const;

/** False; where a row breaks the assumption, the statement fails. */
export function assumed(broken: Sql, assumption: keyof typeof FAILED_ASSUMPTION): Sql {
  return assumption === 'alike'
    ? sql`throwIf(${broken}, 'fanion: not alike')`
    : sql`throwIf(${broken}, 'fanion: another kind')`;
}
