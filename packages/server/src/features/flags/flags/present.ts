import type { Database } from '../../../platform/postgres/database.ts';
import type { EnvironmentRow } from '../../change-kind.ts';
import { findHolds, type HoldRow } from './holds-store.ts';
import { initialTargeting, stateOf, type TargetingConfig } from './rules.ts';
import { rampedServe, toServe } from './serve.ts';
import { stalenessOf, type Use } from './staleness.ts';
import * as store from './store.ts';
import { shown } from './targeting.ts';

/** Context for presenting flags: the time, and the use of these flags in these environments, by their keys. */
export interface Beside {
  readonly now: number;
  readonly use: readonly (Use & { readonly flag: string; readonly environment: string })[] | undefined;
}

/** Flags in the form of the API, with their state in these environments. */
export async function presentFlags(
  db: Database,
  flags: readonly store.FlagRow[],
  environments: readonly EnvironmentRow[],
  { now, use }: Beside,
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
  const ramps = await store.findActiveRamps(db, { flagIds: flags.map(({ id }) => id) });
  const holds = await findHolds(db, { flagIds: flags.map(({ id }) => id) });
  const holdAt = new Map(holds.map((hold) => [`${hold.flag_id} ${hold.environment_id}`, hold]));
  const rampAt = new Map(ramps.map((ramp) => [`${ramp.flag_id} ${ramp.environment_id}`, ramp]));
  const at = new Map(targeting.map((row) => [`${row.flag_id} ${row.environment_id}`, row]));
  return flags.map((flag) => {
    const states = environments.map(({ id, key }) => {
      const row = at.get(`${flag.id} ${id}`);
      const ramp = rampAt.get(`${flag.id} ${id}`);
      const config = effective(row?.config ?? initialTargeting(flag), ramp, holdAt.get(`${flag.id} ${id}`));
      const changed = row?.updated_at ?? flag.created_at;
      const used = use?.find((one) => one.flag === flag.key && one.environment === key);
      return { key, row, ramp, config, changed, used };
    });
    const stale = stalenessOf(
      { temporary: flag.temporary, archived: flag.archived, createdAt: flag.created_at.getTime() },
      states.map(({ config, changed }) => ({ config, changedAt: changed.getTime() })),
      use?.filter((one) => one.flag === flag.key),
      now,
    );
    return {
      ...presentFacts(flag),
      created_by: names.get(flag.created_by ?? '') ?? null,
      stale: stale && { reason: stale.reason, since: new Date(stale.since).toISOString() },
      environments: states.map(({ key, row, ramp, config, changed, used }) => ({
        environment: key,
        ...stateOf(config),
        ramp: ramp === undefined ? null : statusOf(ramp),
        version: row?.version ?? 0,
        updated_at: changed.toISOString(),
        last_evaluated_at: used === undefined ? null : new Date(used.lastAt).toISOString(),
      })),
    };
  });
}

function presentFacts(flag: store.FlagRow) {
  return {
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
    metadata: flag.metadata,
    client_visible: flag.client_visible,
    archived: flag.archived,
    version: flag.version,
    created_at: flag.created_at.toISOString(),
    updated_at: flag.updated_at.toISOString(),
  };
}

/** The targeting in effect while a ramp is active, or something else holds the fallthrough. */
function effective(
  config: TargetingConfig,
  ramp: store.RampRow | undefined,
  hold: HoldRow | undefined,
): TargetingConfig {
  if (ramp === undefined && hold === undefined) return config;
  if (hold !== undefined && hold.clauses.length > 0) {
    const { holder_id: id, clauses, rollout } = hold;
    const serve = { rollout: { ...rollout, weights: [...rollout.weights] } };
    return { ...config, rules: [...config.rules, { id, salt: id, clauses: [...clauses], ...serve }] };
  }
  const { rollout } =
    ramp === undefined ? (hold ?? config.fallthrough) : rampedServe(toServe(config.fallthrough), store.rampState(ramp));
  if (rollout === undefined) return config;
  return { ...config, fallthrough: { rollout: { ...rollout, weights: [...rollout.weights] } } };
}

/** Only active ramps are passed in. */
function statusOf({ status }: store.RampRow): 'running' | 'paused' {
  return status === 'paused' ? 'paused' : 'running';
}

/** The targeting of a flag in an environment, in the form of the API. */
export async function presentTargeting(
  db: Database,
  {
    flag,
    environment,
    row,
  }: { flag: store.FlagRow; environment: { id: string; key: string }; row: store.TargetingRow | undefined },
) {
  const [ramp] = await store.findActiveRamps(db, { flagIds: [flag.id], environmentIds: [environment.id] });
  const [hold] = await findHolds(db, { flagIds: [flag.id], environmentIds: [environment.id] });
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
    holder: hold === undefined ? null : { kind: hold.kind, id: hold.holder_id },
    version: row?.version ?? 0,
    flag_version: flag.serve_version + (row?.flag_version ?? 0),
    updated_at: (row?.updated_at ?? flag.created_at).toISOString(),
    updated_by: names.get(changedBy ?? '') ?? null,
  };
}
