import { randomBytes } from 'node:crypto';
import type { Clause } from '@fanion/contract';
import { type ClauseDraft, segmentsNamed, type TargetingDraft, validateTargeting } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import {
  type Authorship,
  type ChangeRequest,
  type EnvironmentRow,
  locating,
  only,
  type Subject,
} from '../../change-kind.ts';
import { canonical } from './diff.ts';
import { findHolds, type HoldRow } from './holds-store.ts';
import { refuse } from './refuse.ts';
import { initialTargeting, type TargetingConfig, type VariantFact, withRuleIdentities } from './rules.ts';
import { bumpRulesetsNow } from './ruleset-store.ts';
import { laidOut } from './serve.ts';
import * as store from './store.ts';

/** 80 random bits: enough that no two rules or environments split units alike by accident. */
export const newIdentity = () => randomBytes(10).toString('hex');

/** The current state of a flag in one environment. */
export interface TargetingNow {
  readonly flag: store.FlagRow;
  readonly environment: EnvironmentRow;
  readonly row: store.TargetingRow | undefined;
  readonly config: TargetingConfig;
  readonly version: number;
  readonly ramp: store.RampRow | undefined;
  /** What serves the fallthrough in place of the targeting. */
  readonly hold: HoldRow | undefined;
}

/** Throws `FLAG_NOT_FOUND`, `FLAG_ARCHIVED`, or `NOT_FOUND` if the environment was removed. */
export async function targetingNow(trx: Executor, projectId: string, subject: Subject): Promise<TargetingNow> {
  return only(await targetingsNow(trx, projectId, [{ subject }]));
}

/** The same for several subjects, in as many statements. */
export async function targetingsNow(
  trx: Executor,
  projectId: string,
  requests: readonly Pick<ChangeRequest<unknown>, 'subject' | 'located'>[],
): Promise<TargetingNow[]> {
  const keys = new Set(requests.map(({ subject }) => subject.flag ?? ''));
  const flags = new Map((await store.findFlags(trx, projectId, [...keys])).map((flag) => [flag.key, flag]));
  const environments = new Map((await store.listEnvironments(trx, projectId)).map((each) => [each.id, each]));
  const flagIds = [...flags.values()].map(({ id }) => id);
  const environmentIds = requests.flatMap(({ subject: { environmentId: id } }) => (id === undefined ? [] : [id]));
  const at = { flagIds, environmentIds: [...new Set(environmentIds)] };
  const rows = byPlace(await store.findTargeting(trx, at.flagIds, at.environmentIds));
  const ramps = byPlace(await store.findActiveRamps(trx, at));
  const holds = byPlace(await findHolds(trx, at));
  return requests.map((request) =>
    locating(request, () => {
      const { flag: key = '', environmentId } = request.subject;
      const flag = flags.get(key);
      if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
      if (flag.archived) throw fail('FLAG_ARCHIVED', { key });
      const environment = environments.get(environmentId ?? '');
      if (environment === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
      const place = placeOf(flag.id, environment.id);
      const row = rows.get(place);
      const config = row?.config ?? initialTargeting(flag);
      const served = { ramp: ramps.get(place), hold: holds.get(place) };
      return { flag, environment, row, config, version: row?.version ?? 0, ...served };
    }),
  );
}

function placeOf(flagId: string, environmentId: string): string {
  return `${flagId} ${environmentId}`;
}

function byPlace<T extends { readonly flag_id: string; readonly environment_id: string }>(
  rows: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [placeOf(row.flag_id, row.environment_id), row]));
}

/** The configuration of a draft; throws what forbids to write it. */
export function checkedConfig(
  segments: ReadonlySet<string>,
  { flag, config: before, ramp, hold }: TargetingNow,
  draft: TargetingDraft,
): TargetingConfig {
  refuse('TARGETING_INVALID', validateTargeting({ variants: flag.variants as VariantFact[] }, draft, { segments }));
  const after = configOf(draft, before);
  if (ramp !== undefined && !alike(before.fallthrough, after.fallthrough)) throw fail('RAMP_ACTIVE', { key: flag.key });
  if (hold?.kind === 'experiment' && !alike(before.fallthrough, after.fallthrough))
    throw fail('EXPERIMENT_ACTIVE', { key: flag.key, holder: 'an experiment' });
  return after;
}

export interface TargetingWrite {
  readonly targeting: TargetingNow;
  readonly config: TargetingConfig;
  readonly authorship: Authorship;
}

/** Writes the next version of an environment's targeting and of its ruleset. Turning a flag off pauses its ramp. */
export async function writeTargeting(
  trx: Executor,
  targeting: TargetingNow,
  config: TargetingConfig,
  authorship: Authorship,
): Promise<store.TargetingRow> {
  return only(await writeTargetings(trx, [{ targeting, config, authorship }]));
}

/** The same for several, each of another flag or environment. */
export async function writeTargetings(trx: Executor, writes: readonly TargetingWrite[]): Promise<store.TargetingRow[]> {
  for (const { targeting, config, authorship } of writes) {
    const { flag, environment, ramp } = targeting;
    if (!config.enabled && ramp !== undefined) await store.pauseRamp(trx, flag.id, environment.id, authorship.now);
  }
  const rows = writes.map(({ targeting, config, authorship }) =>
    nextRow(targeting, { config, version: targeting.version + 1 }, authorship),
  );
  return save(
    trx,
    rows,
    writes.map(({ authorship }) => authorship),
  );
}

/** Raises the version when a ramp moves or a hold changes, which changes the answers without a write of the targeting. */
export async function bumpTargeting(
  trx: Executor,
  targeting: TargetingNow,
  authorship: Authorship,
): Promise<store.TargetingRow> {
  const { config, version } = targeting;
  return only(await save(trx, [nextRow(targeting, { config, version }, authorship)], [authorship]));
}

function nextRow(
  { flag, environment, row: before, hold }: TargetingNow,
  values: Pick<store.TargetingRow, 'config' | 'version'>,
  { now, userId }: Authorship,
): store.TargetingRow {
  return {
    flag_id: flag.id,
    environment_id: environment.id,
    ...values,
    segments: segmentsNamed([...values.config.rules, ...(hold === undefined ? [] : [hold])]),
    salt: before?.salt ?? newIdentity(),
    flag_version: (before?.flag_version ?? 0) + 1,
    updated_at: now,
    updated_by: userId,
  };
}

async function save(
  trx: Executor,
  rows: store.TargetingRow[],
  authorships: readonly Authorship[],
): Promise<store.TargetingRow[]> {
  await store.saveTargetings(trx, rows);
  const [authorship] = authorships;
  if (authorship !== undefined)
    await bumpRulesetsNow(
      trx,
      rows.map((row) => row.environment_id),
      authorship,
    );
  return rows;
}

function configOf(draft: TargetingDraft, before: TargetingConfig): TargetingConfig {
  const { enabled, off_variant, targets } = draft;
  const fallthrough = laidOut(before.fallthrough, draft.fallthrough);
  return {
    enabled,
    off_variant,
    fallthrough,
    targets,
    rules: withRuleIdentities(draft.rules, before.rules, newIdentity),
  };
}

/** A stored clause; the API's schema checked it before it was stored. */
export function shownClause(clause: ClauseDraft): Clause {
  return { ...clause, negate: clause.negate ?? false } as Clause;
}

/** Without the salts, which are internal to the engine. */
export function shown(config: TargetingConfig) {
  return {
    enabled: config.enabled,
    off_variant: config.off_variant,
    fallthrough: config.fallthrough,
    targets: config.targets,
    rules: config.rules.map(({ salt: _, ...rule }) => ({
      ...rule,
      clauses: rule.clauses.map(shownClause),
    })),
  };
}

function alike(a: TargetingDraft['fallthrough'], b: TargetingDraft['fallthrough']): boolean {
  return canonical(a) === canonical(b);
}
