import type { Database } from '../../platform/postgres/database.ts';
import type { EnvironmentRow } from './change.ts';
import { initialTargeting, stateOf } from './rules.ts';
import * as store from './store.ts';
import { shown } from './targeting.ts';

/** Flags as the API answers them, with their state in these environments. */
export async function presentFlags(
  db: Database,
  flags: readonly store.FlagRow[],
  environments: readonly EnvironmentRow[],
) {
  const targeting = await store.findTargeting(
    db,
    flags.map(({ id }) => id),
    environments.map(({ id }) => id),
  );
  const names = await store.findUserNames(
    db,
    flags.map(({ created_by }) => created_by),
  );
  const at = new Map(targeting.map((row) => [`${row.flag_id} ${row.environment_id}`, row]));
  return flags.map((flag) => ({
    id: flag.id,
    key: flag.key,
    name: flag.name,
    description: flag.description,
    kind: flag.kind,
    variants: flag.variants,
    default_variant: flag.default_variant,
    off_variant: flag.off_variant,
    tags: flag.tags,
    temporary: flag.temporary,
    archived: flag.archived,
    version: flag.version,
    created_at: flag.created_at.toISOString(),
    updated_at: flag.updated_at.toISOString(),
    created_by: names.get(flag.created_by ?? '') ?? null,
    environments: environments.map(({ id, key }) => {
      const row = at.get(`${flag.id} ${id}`);
      return {
        environment: key,
        ...stateOf(row?.config ?? initialTargeting(flag)),
        version: row?.version ?? 0,
        updated_at: (row?.updated_at ?? flag.created_at).toISOString(),
      };
    }),
  }));
}

/** What a flag serves in an environment, as the API answers it. */
export async function presentTargeting(
  db: Database,
  {
    flag,
    environment,
    row,
  }: { flag: store.FlagRow; environment: { id: string; key: string }; row: store.TargetingRow | undefined },
) {
  const [ramp] = await store.findActiveRamps(db, { flagIds: [flag.id], environmentId: environment.id });
  const changedBy = row === undefined ? flag.created_by : row.updated_by;
  const names = await store.findUserNames(db, [changedBy]);
  const status = ramp?.status;
  return {
    flag: flag.key,
    environment: environment.key,
    ...shown(row?.config ?? initialTargeting(flag)),
    ramp:
      ramp === undefined || (status !== 'running' && status !== 'paused')
        ? null
        : { id: ramp.id, status, variant: ramp.variant, weight: store.rampState(ramp).weight },
    version: row?.version ?? 0,
    flag_version: flag.serve_version + (row?.flag_version ?? 0),
    updated_at: (row?.updated_at ?? flag.created_at).toISOString(),
    updated_by: names.get(changedBy ?? '') ?? null,
  };
}
