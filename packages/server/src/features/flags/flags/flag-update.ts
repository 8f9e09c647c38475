import { validateVariants } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { ChangeKind, EnvironmentRow } from '../../change-kind.ts';
import { canonical, differences } from './diff.ts';
import { recordHistory } from './history-store.ts';
import { disarmGuardedReleases, findHolds } from './holds-store.ts';
import { listed, refuse } from './refuse.ts';
import { type VariantFact, variantsServed } from './rules.ts';
import { bumpRulesetsNow } from './ruleset-store.ts';
import * as store from './store.ts';

export type FlagPatch = {
  readonly [K in Exclude<keyof store.FlagChangeOfAll, 'prerequisites'>]?: store.FlagRow[K] | undefined;
};

/** The properties of a flag in all environments: names, variants, and whether it is archived. */
export const flagChange: ChangeKind<FlagPatch, { readonly flag: store.FlagRow; readonly historyId: string | null }> = {
  kind: 'flag',
  reach: 'project',
  async prepare(trx, { projectId }, { flag: key = '' }, patch, version) {
    const flag = await store.findFlag(trx, projectId, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    refuseStale(version, flag.version);
    const change = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as FlagPatch;
    const after = { ...flag, ...change };
    const environments = await store.listEnvironments(trx, projectId);
    const targeting = await store.findTargeting(
      trx,
      [flag.id],
      environments.map(({ id }) => id),
    );
    const issues = validateVariants({ ...after, variants: after.variants as VariantFact[] });
    // Stored values may be older than a limit. They stay, so that the rest can be changed.
    refuse('INVALID_INPUT', change.variants === undefined ? issues.filter(({ path }) => !isOfVariant(path)) : issues);
    await refuseArchiving(trx, projectId, flag, after.archived);
    const gone = flag.variants.filter(({ key }) => !after.variants.some((variant) => variant.key === key));
    for (const variant of gone)
      await refuseWhileServed(trx, { projectId, flag, variant: variant.key, environments, targeting });
    const diff = differences(shown(flag), shown(after));
    const serves = changesWhatIsServed(flag, after);
    const configured = new Set(targeting.map((row) => row.environment_id));
    return {
      flagId: flag.id,
      segmentId: null,
      environmentId: null,
      resource: { type: 'flag', id: flag.id, name: flag.key },
      version: flag.version,
      affects: environments.filter(({ id }) => changesAnswers(flag, after, configured.has(id))),
      before: shown(flag),
      after: shown(after),
      diff,
      rulesets: serves ? environments.map(({ id }) => id) : [],
      unchanged: diff.length === 0 ? { flag, historyId: null } : undefined,
      async write(authorship) {
        const { now } = authorship;
        const written = await store.updateFlag(trx, flag, change as store.FlagChangeOfAll, { serves, now });
        if (after.archived && !flag.archived) await store.endRamps(trx, flag.id, now);
        if (serves)
          await disarmGuardedReleases(trx, { flagId: flag.id }, `${authorship.actor.name} edited the flag.`, now);
        if (serves)
          await bumpRulesetsNow(
            trx,
            environments.map(({ id }) => id),
            authorship,
          );
        const historyId = await recordHistory(trx, authorship, {
          flagId: flag.id,
          environmentId: null,
          kind: 'flag',
          version: written.version,
          flagVersion: null,
          diff,
          after: shown(after),
        });
        return { flag: written, historyId };
      },
    };
  },
};

function isOfVariant(path: string): boolean {
  return path.startsWith('variants.');
}

/** The properties of a flag that the history shows and restores. */
export function shown({
  name,
  description,
  variants,
  default_variant,
  off_variant,
  tags,
  temporary,
  metadata,
  client_visible,
  archived,
}: store.FlagRow) {
  const meaning = { name, description, variants, default_variant, off_variant, tags, temporary };
  return { ...meaning, metadata, client_visible, archived };
}

/** Whether the change alters rulesets. */
function changesWhatIsServed(before: store.FlagRow, after: store.FlagRow): boolean {
  const served = ({ variants, off_variant, default_variant, metadata, client_visible, archived }: store.FlagRow) => {
    const values = variants.map(({ key, value }) => [key, value]);
    return canonical([values, off_variant, default_variant, metadata, client_visible, archived]);
  };
  return served(before) !== served(after);
}

/** Whether evaluations in an environment may answer differently. A new or unused variant changes no answer. */
function changesAnswers(before: store.FlagRow, after: store.FlagRow, isConfigured: boolean): boolean {
  if (before.archived !== after.archived || before.client_visible !== after.client_visible) return true;
  // It is part of every answer, and programs may depend on it.
  if (canonical(before.metadata) !== canonical(after.metadata)) return true;
  const values = new Map(after.variants.map(({ key, value }) => [key, canonical(value)]));
  if (before.variants.some(({ key, value }) => values.has(key) && values.get(key) !== canonical(value))) return true;
  // An environment without configuration serves the flag's own off variant.
  return !isConfigured && before.off_variant !== after.off_variant;
}

/** Throws if the flag cannot be archived now, or cannot be taken back. */
async function refuseArchiving(trx: Executor, projectId: string, flag: store.FlagRow, archived: boolean) {
  if (archived && !flag.archived) await refuseWhileRequired(trx, projectId, flag.key);
  const holds = await findHolds(trx, { flagIds: [flag.id] });
  if (archived && holds.some(({ kind }) => kind === 'experiment'))
    throw fail('EXPERIMENT_ACTIVE', { key: flag.key, holder: 'an experiment' });
  if (!archived && flag.archived) await refuseWithoutRequirements(trx, projectId, flag);
}

/** Throws `FLAG_IN_USE` while another flag has this one as a prerequisite. */
export async function refuseWhileRequired(trx: Executor, projectId: string, key: string): Promise<void> {
  const dependents = await dependentsOf(trx, projectId, key);
  if (dependents.length > 0)
    throw fail(
      'FLAG_IN_USE',
      { key, users: listed(dependents) },
      { details: dependents.slice(0, 50).map((flag) => ({ path: 'prerequisites', message: `of ${flag}`, flag })) },
    );
}

/** Flags that require this one and are not archived. */
export async function dependentsOf(db: Executor, projectId: string, key: string): Promise<string[]> {
  const flags = await store.listFlagFacts(db, projectId);
  return flags.filter((flag) => flag.prerequisites.some((required) => required.flag === key)).map((flag) => flag.key);
}

async function refuseWithoutRequirements(trx: Executor, projectId: string, flag: store.FlagRow): Promise<void> {
  const live = new Set((await store.listFlagFacts(trx, projectId)).map(({ key }) => key));
  const missing = flag.prerequisites.find((required) => !live.has(required.flag));
  if (missing !== undefined) throw fail('FLAG_ARCHIVED', { key: missing.flag });
}

async function refuseWhileServed(
  trx: Executor,
  {
    projectId,
    flag,
    variant,
    environments,
    targeting,
  }: {
    projectId: string;
    flag: store.FlagRow;
    variant: string;
    environments: readonly EnvironmentRow[];
    targeting: readonly store.TargetingRow[];
  },
): Promise<void> {
  const keyOf = new Map(environments.map(({ id, key }) => [id, key]));
  const serving = targeting
    .filter(({ config }) => variantsServed(config).has(variant))
    .map(({ environment_id }) => keyOf.get(environment_id) ?? environment_id);
  const ramping = (await store.findActiveRamps(trx, { flagIds: [flag.id] }))
    .filter((ramp) => ramp.variant === variant)
    .map(({ environment_id }) => `the ramp in ${keyOf.get(environment_id)}`);
  const holding = (await findHolds(trx, { flagIds: [flag.id] }))
    .filter(({ rollout }) => rollout.weights.some((weight) => weight.variant === variant))
    .map(({ kind, environment_id }) =>
      kind === 'experiment'
        ? `the experiment in ${keyOf.get(environment_id)}`
        : `the guarded release in ${keyOf.get(environment_id)}`,
    );
  const requiring = (await store.listFlagFacts(trx, projectId))
    .filter(({ prerequisites }) => prerequisites.some((p) => p.flag === flag.key && p.variants.includes(variant)))
    .map(({ key }) => `the prerequisites of ${key}`);
  const users = [...serving, ...ramping, ...holding, ...requiring];
  if (users.length > 0) throw fail('VARIANT_IN_USE', { variant, users: listed(users) });
}
