/** What a look at a guarded release decides is written here: each move returns the environments whose rulesets have changed. */

import type { GuardedLook } from '@fanion/contract';
import type { Executor } from '../../../platform/postgres/database.ts';
import {
  type Authorship,
  holdFallthrough,
  rampedServe,
  releaseFallthrough,
  targetingNow,
  toServe,
} from '../../flags/flags/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { Taken } from './look.ts';
import { type Decision, widestOf } from './rules.ts';
import * as store from './store.ts';
import { type TellChannels, tell } from './tell.ts';

const actor = { type: 'system', id: null, name: 'guarded releases' } as const;

/** Nothing is unsure any more. */
const decided = { unsure_since: null, asked_at: null, told_holds: [] as string[] };

export type Looked = Taken | { readonly reason: string };

/** A look that was counted, with what was decided, in the transaction that ends the run. */
export interface Concluding {
  readonly trx: Executor;
  readonly seen: store.PlacedRelease;
  readonly looked: Looked;
  readonly counted: store.ReleaseRow;
  readonly now: Date;
  readonly notifications: TellChannels;
  readonly reason: string;
  /** Becomes `monitoring` with the first units. */
  readonly monitoring: { readonly state?: 'monitoring' };
}
type DecisionOf<Move extends Decision['move']> = Extract<Decision, { readonly move: Move }>;

/** The share that the variant gets in a step, or once everybody gets it. */
function weightIn({ definition, step, watched_since }: store.PlacedRelease): number {
  return watched_since === null ? (definition.steps[step]?.weight ?? 0) : 100_000;
}

/** What each guard said, by its metric. */
function verdictsOf(look: GuardedLook | null) {
  if (look === null) return {};
  return { verdicts: Object.fromEntries(look.guards.map(({ metric, verdict }) => [metric, verdict])) };
}

export function lookOf(looked: Looked) {
  return 'reason' in looked ? null : looked.look;
}

function recordEvent(
  { trx, looked, reason, now }: Concluding,
  release: store.ReleaseRow,
  kind: string,
  weight: number,
) {
  return store.insertEvent(trx, release, { kind, weight, reason, look: lookOf(looked), now });
}

function audit({ trx, seen, looked, reason, now }: Concluding, action: string, after: object) {
  return recordAudit(
    trx,
    { actor, ip: null, requestId: null },
    {
      workspaceId: seen.workspace_id,
      action,
      resource: { type: 'flag', id: seen.flag_id, name: seen.flag },
      projectId: seen.project_id,
      environmentId: seen.environment_id,
      before: { variant: seen.definition.variant, step: seen.step, weight: weightIn(seen) },
      after: { reason, ...verdictsOf(lookOf(looked)), ...after },
    },
    now,
  );
}

function inform(
  { trx, seen, notifications, reason, now }: Concluding,
  what: string,
  severity: 'info' | 'warning' | 'critical',
) {
  return tell(trx, notifications, seen, { what, reason, severity }, now);
}

function authorshipOf({ now, reason }: Concluding): Authorship {
  return { userId: null, actor, now, comment: reason, changeId: null };
}

function targetingOf({ trx, seen }: Concluding) {
  return targetingNow(trx, seen.project_id, { flag: seen.flag, environmentId: seen.environment_id });
}

export async function wait(run: Concluding, { tell, held }: DecisionOf<'wait'>): Promise<readonly string[]> {
  const { trx, seen, counted, monitoring, now } = run;
  const what = tell !== undefined && !seen.told_holds.includes(tell) ? [tell] : [];
  const told_holds = [...seen.told_holds, ...what];
  await store.updateRelease(trx, seen.id, { ...monitoring, told_holds }, now);
  await recordEvent(run, counted, held ? 'hold' : 'look', weightIn(seen));
  if (what.length > 0) await inform(run, 'is held', 'warning');
  return [];
}

export async function stayUnsure(run: Concluding, { isLate }: DecisionOf<'unsure'>): Promise<readonly string[]> {
  const { trx, seen, monitoring, now } = run;
  const isNew = seen.unsure_since === null;
  const isAsked = isLate && seen.asked_at === null;
  const held = { unsure_since: seen.unsure_since ?? now, ...(isAsked && { asked_at: now }) };
  const updated = await store.updateRelease(trx, seen.id, { ...monitoring, ...held }, now);
  await recordEvent(run, updated, 'hold', weightIn(seen));
  if (isAsked || isNew) {
    const what = isAsked ? `is held for ${seen.definition.hold_at_most} and needs a decision` : 'is held';
    await inform(run, what, 'warning');
  }
  return [];
}

export async function pause(run: Concluding): Promise<readonly string[]> {
  const { trx, seen, monitoring, reason, now } = run;
  const updated = await store.updateRelease(trx, seen.id, { ...monitoring, paused_reason: reason }, now);
  await recordEvent(run, updated, 'paused', weightIn(seen));
  await audit(run, 'guarded_releases.pause', {});
  await inform(run, 'was paused', 'critical');
  return [];
}

export async function takeStep(run: Concluding, { step }: DecisionOf<'step'>): Promise<readonly string[]> {
  const { trx, seen, now } = run;
  const targeting = await targetingOf(run);
  const { variant, bucket_by, steps } = seen.definition;
  const weight = steps[step]?.weight ?? weightIn(seen);
  const state = { variant, weight, bucket_by, widest: widestOf(steps) };
  const { rollout } = rampedServe(toServe(targeting.config.fallthrough), state);
  await holdFallthrough(trx, targeting, { kind: 'guarded_release', id: seen.id, rollout }, authorshipOf(run));
  const moved = { state: 'monitoring' as const, step, step_started_at: now, ...decided };
  await recordEvent(run, await store.updateRelease(trx, seen.id, moved, now), 'step', weight);
  await audit(run, 'guarded_releases.step', { step, weight });
  return [seen.environment_id];
}

export async function beginWatch(run: Concluding): Promise<readonly string[]> {
  const { trx, seen, looked, now } = run;
  const targeting = await targetingOf(run);
  const { variant, bucket_by, watch } = seen.definition;
  const all = { variant, weight: 100_000 };
  const { rollout: last } = rampedServe(toServe(targeting.config.fallthrough), { ...all, bucket_by });
  const rollout = { ...last, weights: [all] };
  await holdFallthrough(trx, targeting, { kind: 'guarded_release', id: seen.id, rollout }, authorshipOf(run));
  const baseline = 'look' in looked ? looked.control : [];
  await recordEvent(run, await store.saveWatched(trx, seen, baseline, now), 'watch', all.weight);
  await audit(run, 'guarded_releases.watch', { weight: all.weight, watch });
  await inform(run, `serves everybody, and is watched for ${watch}`, 'info');
  return [seen.environment_id];
}

export async function end(run: Concluding, move: 'rollback' | 'complete'): Promise<readonly string[]> {
  const { trx, seen, reason, now } = run;
  const isBad = move === 'rollback';
  const targeting = await targetingOf(run);
  const served = isBad ? {} : { fallthrough: { variant: seen.definition.variant } };
  await releaseFallthrough(trx, targeting, { id: seen.id, ...served }, authorshipOf(run));
  const state = isBad ? ('rolled_back' as const) : ('completed' as const);
  const ended = { state, ended_at: now, ended_reason: reason, paused_reason: null, ...decided };
  await recordEvent(run, await store.updateRelease(trx, seen.id, ended, now), state, isBad ? 0 : 100_000);
  await audit(run, `guarded_releases.${move}`, { state });
  await inform(run, isBad ? 'was rolled back' : 'is complete', isBad ? 'critical' : 'info');
  return [seen.environment_id];
}
