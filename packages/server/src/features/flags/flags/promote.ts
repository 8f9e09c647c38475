import { withoutLayout } from '@fanion/flag-engine';
import type { EnvironmentRef, UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import type { Changes, Place } from '../../change-kind.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { differences } from './diff.ts';
import { presentTargeting } from './present.ts';
import { initialTargeting, type TargetingConfig } from './rules.ts';
import * as store from './store.ts';
import { shown } from './targeting.ts';
import { targetingChange } from './targeting-change.ts';

export interface PromotionInput {
  readonly to: string;
  readonly include_enabled: boolean;
  readonly dry_run: boolean;
  readonly version?: number | undefined;
  readonly comment?: string | undefined;
  readonly bypass_approval: boolean;
}

/** Copies the targeting of one environment to another; the on/off switch only if requested. */
export function createPromotion({ db, access, changes }: FeatureDependencies & { readonly changes: Changes }) {
  return async function promote(
    place: Place,
    from: EnvironmentRef,
    caller: UserCaller,
    key: string,
    input: PromotionInput,
    origin: Origin,
  ) {
    const { workspace, project } = place;
    const { environment: to, permissions } = await access.scope(caller, {
      workspace: workspace.id,
      project: project.id,
      environment: input.to,
    });
    if (to === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
    if (!permissions.has('flags:write')) throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
    const flag = await store.findFlag(db, project.id, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    const rows = await store.findTargeting(db, [flag.id], [from.id, to.id]);
    const rowAt = (id: string) => rows.find((row) => row.environment_id === id);
    const source = rowAt(from.id)?.config ?? initialTargeting(flag);
    const target = rowAt(to.id);
    const before = target?.config ?? initialTargeting(flag);
    const { patch, after } = promoted(source, before, input);
    const answer = { from: from.key, to: to.key, dry_run: input.dry_run, diff: differences(shown(before), after) };
    if (input.dry_run) {
      const targeting = await presentTargeting(db, { flag, environment: to, row: target });
      return { status: 'applied', result: { ...answer, targeting } } as const;
    }
    const submitted = await changes.submit({
      place,
      caller,
      origin,
      action: 'flags.promote',
      kind: targetingChange,
      subject: { flag: key, environmentId: to.id },
      payload: patch,
      // The version from which the difference was computed, so that a write in between is a conflict.
      version: input.version ?? target?.version ?? 0,
      comment: input.comment ?? `promoted from ${from.key}`,
      bypassApproval: input.bypass_approval,
    });
    if (submitted.status === 'waiting') return submitted;
    const targeting = await presentTargeting(db, submitted.result);
    return { status: 'applied', result: { ...answer, targeting } } as const;
  };
}

/** What the target gets of the source, and the targeting that it has then. */
function promoted(
  source: TargetingConfig,
  before: TargetingConfig,
  { include_enabled }: Pick<PromotionInput, 'include_enabled'>,
) {
  const { enabled, off_variant, targets } = source;
  const fallthrough = withoutLayout(source.fallthrough);
  const rules = source.rules.map(withoutLayout);
  const patch = {
    off_variant,
    fallthrough,
    targets,
    // Rules keep their ids, so that a rule is the same everywhere, but never the salt of another environment.
    rules: rules.map(({ salt: _, ...rule }) => rule),
    ...(include_enabled && { enabled }),
  };
  const after = {
    ...shown(before),
    ...shown({ ...source, fallthrough, rules, enabled: include_enabled ? enabled : before.enabled }),
  };
  return { patch, after };
}
