import { type Kysely, sql } from 'kysely';
import { refuseMarked } from '../move-mark.ts';
import { controlPlane0001 } from './migrations/0001-control-plane.ts';
import { flags0002 } from './migrations/0002-flags.ts';
import { savedQueries0003 } from './migrations/0003-saved-queries.ts';
import { flagMetadata0004 } from './migrations/0004-flag-metadata.ts';
import { invitedAccounts0005 } from './migrations/0005-invited-accounts.ts';
import { codeDefault0006 } from './migrations/0006-code-default.ts';
import { alertRules0010 } from './migrations/0010-alert-rules.ts';
import { channels0011 } from './migrations/0011-channels.ts';
import { notifications0012 } from './migrations/0012-notifications.ts';
import { slos0013 } from './migrations/0013-slos.ts';
import { storedTo0014 } from './migrations/0014-stored-to.ts';
import { dashboards0015 } from './migrations/0015-dashboards.ts';
import { experiments0016 } from './migrations/0016-experiments.ts';
import { judging0017 } from './migrations/0017-judging.ts';
import { dashboardSnapshots0020 } from './migrations/0020-dashboard-snapshots.ts';
import { errorGroups0022 } from './migrations/0022-error-groups.ts';
import { experimentPhases0023 } from './migrations/0023-experiment-phases.ts';
import { audiences0028 } from './migrations/0028-audiences.ts';
import { arrivals0029 } from './migrations/0029-arrivals.ts';
import { grantVersions0030 } from './migrations/0030-grant-versions.ts';
import { telemetryRemovals0031 } from './migrations/0031-telemetry-removals.ts';
import { automaticOffsets0032 } from './migrations/0032-automatic-offsets.ts';
import { threeVerdicts0033 } from './migrations/0033-three-verdicts.ts';
import { watch0034 } from './migrations/0034-watch.ts';
import { toldHolds0035 } from './migrations/0035-told-holds.ts';
import { updatedBy0036 } from './migrations/0036-updated-by.ts';
import { erasures0037 } from './migrations/0037-erasures.ts';
import { queryLanguage0038 } from './migrations/0038-query-language.ts';
import { sdkPayloadKeys0039 } from './migrations/0039-sdk-payload-keys.ts';
import { readControlMark } from './move-mark.ts';
import type { ControlPlane } from './schema.ts';

export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly statements: readonly string[];
}

/** In order; a released migration is never edited. */
export const migrations: readonly Migration[] = [
  controlPlane0001,
  flags0002,
  savedQueries0003,
  flagMetadata0004,
  invitedAccounts0005,
  codeDefault0006,
  alertRules0010,
  channels0011,
  notifications0012,
  slos0013,
  storedTo0014,
  dashboards0015,
  experiments0016,
  judging0017,
  dashboardSnapshots0020,
  errorGroups0022,
  experimentPhases0023,
  audiences0028,
  arrivals0029,
  grantVersions0030,
  telemetryRemovals0031,
  automaticOffsets0032,
  threeVerdicts0033,
  watch0034,
  toldHolds0035,
  updatedBy0036,
  erasures0037,
  queryLanguage0038,
  sdkPayloadKeys0039,
];

/**
 * Migrates the control plane to the newest schema. Each migration is one transaction, so a kill leaves all or nothing
 * of it. Two servers that start at once wait for each other on the table lock. Throws if a newer release migrated the
 * database, and for one that a move is filling or has emptied.
 * @param given only these, for the rows of an older release
 */
export async function migrate(
  db: Kysely<ControlPlane>,
  onApplied: (migration: Migration) => void = () => {},
  given: readonly Migration[] = migrations,
): Promise<void> {
  refuseMarked(await readControlMark(db), 'control plane');
  await sql`CREATE TABLE IF NOT EXISTS migrations (id integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`
    .execute(db)
    .catch((error: unknown) => {
      // Two servers can both find the table missing; PostgreSQL then rejects one with a unique violation in its
      // catalog.
      if (!(error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '42P07')))
        throw error;
    });
  for (const migration of given) {
    const applied = await db.transaction().execute(async (trx) => {
      await sql`LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE`.execute(trx);
      const done = await sql<{ id: number }>`SELECT id FROM migrations WHERE id = ${migration.id}`.execute(trx);
      if (done.rows.length > 0) return false;
      for (const statement of migration.statements) await sql.raw(statement).execute(trx);
      await sql`INSERT INTO migrations (id, name) VALUES (${migration.id}, ${migration.name})`.execute(trx);
      return true;
    });
    if (applied) onApplied(migration);
  }
  const newest = await sql<{ id: number | null }>`SELECT max(id) AS id FROM migrations`.execute(db);
  const known = migrations.at(-1)?.id ?? 0;
  if ((newest.rows[0]?.id ?? 0) > known)
    throw new Error(
      `the control plane was migrated to version ${newest.rows[0]?.id} by a newer release; this one knows ${known}`,
    );
}
