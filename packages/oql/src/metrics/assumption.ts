import { type Sql, sql } from '../sql/sql.ts';

/** How the error message begins when a statement was compiled for known metrics and they turn out to be different. */
export const FAILED_ASSUMPTION = {
  /** `KnownMetrics.alike` */
  alike: 'fanion: not alike',
  /** `KnownMetrics.metrics`, where `Compiled.checksKinds` */
  kind: 'fanion: another kind',
  /** `KnownMetrics.integers` */
  integers: 'fanion: integers beyond 2^53',
} as const;

/** Always false; the statement fails if a row breaks the assumption. */
export function assumed(broken: Sql, assumption: keyof typeof FAILED_ASSUMPTION): Sql {
  switch (assumption) {
    case 'alike':
      return sql`throwIf(${broken}, 'fanion: not alike')`;
    case 'kind':
      return sql`throwIf(${broken}, 'fanion: another kind')`;
    case 'integers':
      return sql`throwIf(${broken}, 'fanion: integers beyond 2^53')`;
  }
}
