import { randomBytes } from 'node:crypto';
import type { Clause } from '@fanion/contract';
import {
  type ClauseDraft,
  type RuleDraft,
  segmentsNamed,
  type TargetingDraft,
  validateTargeting,
  withoutLayout,
} from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { Authorship, ChangeKind, EnvironmentRow } from '../../change-kind.ts';
import { canonical, differences } from './diff.ts';
import { recordHistory } from './history-store.ts';
import { disarmGuardedReleases, findHolds, type HoldRow } from './holds-store.ts';
import { refuse } from './refuse.ts';
import { initialTargeting, type TargetingConfig, type VariantFact, withRuleIdentities } from './rules.ts';
import { bumpRulesetsNow } from './ruleset-store.ts';
import { laidOut } from './serve.ts';
import * as store from './store.ts';

/** 80 random bits: enough that no two rules or environments split units alike by accident. */
export const newIdentity = () => randomBytes(10).toString('hex');

/** Named fields replace the present ones; a rule may bring the salt that it had in the past. */
export type TargetingPatch = {
  readonly [K in keyof TargetingDraft]?: TargetingDraft[K] | undefined;
} & { readonly rules?: readonly (RuleDraft & { readonly salt?: string })[] | undefined };

export interface TargetingWritten {
  readonly flag: store.FlagRow;
  readonly environment: EnvironmentRow;
  readonly row: store.TargetingRow;
  /** Null where nothing was written. */
  readonly historyId: string | null;
}

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
export async function targetingNow(
  trx: Executor,
  projectId: string,
  { flag: key = '', environmentId }: { flag?: string; environmentId?: string },
): Promise<TargetingNow> {
  const flag = await store.findFlag(trx, projectId, key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  if (flag.archived) throw fail('FLAG_ARCHIVED', { key });
  const environment = (await store.listEnvironments(trx, projectId)).find(({ id }) => id === environmentId);
  if (environment === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
  const [row] = await store.findTargeting(trx, [flag.id], [environment.id]);
  const [ramp] = await store.findActiveRamps(trx, { flagIds: [flag.id], environmentId: environment.id });
  const [hold] = await findHolds(trx, { flagIds: [flag.id], environmentId: environment.id });
  const config = row?.config ?? initialTargeting(flag);
  return { flag, environment, row, config, version: row?.version ?? 0, ramp, hold };
}

/** The targeting of a flag in an environment. */
export const targetingChange: ChangeKind<TargetingPatch, TargetingWritten> = {
  kind: 'targeting',
  reach: 'environment',
  async prepare(trx, { projectId }, subject, patch, version) {
    const now = await targetingNow(trx, projectId, subject);
    const { flag, environment, config: before } = now;
    refuseStale(version, now.version);
    const after = await checkedConfig(trx, projectId, now, { ...before, ...definedOnly(patch) });
    const diff = differences(toldOf(before), toldOf(after));
    return {
      flagId: flag.id,
      segmentId: null,
      environmentId: environment.id,
      resource: { type: 'flag', id: flag.id, name: flag.key },
      version: now.version,
      affects: [environment],
      before: shown(before),
      after: shown(after),
      diff,
      rulesets: [environment.id],
      unchanged:
        now.row !== undefined && isUnchanged(before, after)
          ? { flag, environment, row: now.row, historyId: null }
          : undefined,
      async write(authorship) {
        const place = { flagId: flag.id, environmentId: environment.id };
        await disarmGuardedReleases(trx, place, `${authorship.actor.name} edited the targeting.`, authorship.now);
        const row = await writeTargeting(trx, now, after, authorship);
        const historyId = await recordHistory(trx, authorship, {
          flagId: flag.id,
          environmentId: environment.id,
          kind: 'targeting',
          version: row.version,
          flagVersion: flag.serve_version + row.flag_version,
          diff,
          after,
        });
        return { flag, environment, row, historyId };
      },
    };
  },
};

/** The configuration of a draft; throws what forbids to write it. */
export async function checkedConfig(
  trx: Executor,
  projectId: string,
  { flag, config: before, ramp, hold }: TargetingNow,
  draft: TargetingDraft,
): Promise<TargetingConfig> {
  const segments = await store.listSegmentKeys(trx, projectId);
  refuse('TARGETING_INVALID', validateTargeting({ variants: flag.variants as VariantFact[] }, draft, { segments }));
  const after = configOf(draft, before);
  if (ramp !== undefined && !alike(before.fallthrough, after.fallthrough)) throw fail('RAMP_ACTIVE', { key: flag.key });
  if (hold?.kind === 'experiment' && !alike(before.fallthrough, after.fallthrough))
    throw fail('EXPERIMENT_ACTIVE', { key: flag.key, holder: 'an experiment' });
  return after;
}

/** Writes the next version of an environment's targeting and of its ruleset. Turning a flag off pauses its ramp. */
export async function writeTargeting(
  trx: Executor,
  targeting: TargetingNow,
  config: TargetingConfig,
  authorship: Authorship,
): Promise<store.TargetingRow> {
  const { flag, environment, version } = targeting;
  if (!config.enabled) await store.pauseRamp(trx, flag.id, environment.id, authorship.now);
  return save(trx, targeting, { config, version: version + 1 }, authorship);
}

/** Raises the version when a ramp moves or a hold changes, which changes the answers without a write of the targeting. */
export async function bumpTargeting(
  trx: Executor,
  targeting: TargetingNow,
  authorship: Authorship,
): Promise<store.TargetingRow> {
  const { config, version } = targeting;
  return save(trx, targeting, { config, version }, authorship);
}

async function save(
  trx: Executor,
  { flag, environment, row: before, hold }: TargetingNow,
  values: Pick<store.TargetingRow, 'config' | 'version'>,
  authorship: Authorship,
): Promise<store.TargetingRow> {
  const { now, userId } = authorship;
  const row: store.TargetingRow = {
    flag_id: flag.id,
    environment_id: environment.id,
    ...values,
    segments: segmentsNamed([...values.config.rules, ...(hold === undefined ? [] : [hold])]),
    salt: before?.salt ?? newIdentity(),
    flag_version: (before?.flag_version ?? 0) + 1,
    updated_at: now,
    updated_by: userId,
  };
  await store.saveTargeting(trx, row);
  await bumpRulesetsNow(trx, [environment.id], authorship);
  return row;
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

/** For the difference that people read: the written targeting without the layout of its variants. */
function toldOf(config: TargetingConfig) {
  return shown({ ...config, fallthrough: withoutLayout(config.fallthrough), rules: config.rules.map(withoutLayout) });
}

function definedOnly(patch: TargetingPatch): Partial<TargetingDraft> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

function alike(a: TargetingDraft['fallthrough'], b: TargetingDraft['fallthrough']): boolean {
  return canonical(a) === canonical(b);
}
