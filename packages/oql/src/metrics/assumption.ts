import { type Sql, sql } from '../sql/sql.ts';

/** How the error message begins when a statement was compiled for known metrics and they turn out to be different. */
export const FAILED_ASSUMPTION = {
  /** `KnownMetrics.alike` */
  alike: 'fanion: not alike',
  /** `KnownMetrics.metrics`, where `Compiled.checksKinds` */
  kind: 'fanion: another kind',
} as const;

/** Always false; the statement fails if a row breaks the assumption. */
export function assumed(broken: Sql, assumption: keyof typeof FAILED_ASSUMPTION): Sql {
  return assumption === 'alike'
    ? sql`throwIf(${broken}, 'fanion: not alike')`
    : sql`throwIf(${broken}, 'fanion: another kind')`;
}
