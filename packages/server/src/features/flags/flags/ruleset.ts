import type { Flag, JsonValue, Rule, Ruleset, Segment } from '@fanion/flag-engine';
import type { Database } from '../../../platform/postgres/database.ts';
import { initialTargeting, type StoredRule } from './rules.ts';
import * as store from './ruleset-store.ts';
import { loadSegment } from './segment-parts.ts';
import { heldServe, rampedServe, toServe, toShare } from './serve.ts';
import { rampState } from './store.ts';

/** A ruleset, with the row and version of each of its parts. */
export interface LoadedRuleset {
  readonly ruleset: Ruleset;
  readonly flagStamps: ReadonlyMap<string, string>;
  readonly segmentStamps: ReadonlyMap<string, string>;
}

/**
 * The current ruleset of an environment. Undefined: the environment was removed. One transaction at repeatable read, so
 * that its version matches its content. Parts of the same version are reused from `before`: a change of one flag reads
 * that flag, not a segment with a million keys.
 */
export async function loadRuleset(
  db: Database,
  environmentId: string,
  before?: LoadedRuleset,
): Promise<LoadedRuleset | undefined> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const row = await store.findRuleset(trx, environmentId);
      if (row === undefined) return undefined;
      if (before?.ruleset.version === row.version) return before;
      const flags = await merge<Flag>(
        await store.listFlagStamps(trx, row.project_id, environmentId),
        before?.ruleset.flags,
        before?.flagStamps,
        async (stamps) => {
          const ids = stamps.map(({ id }) => id);
          return (await store.findServedFlags(trx, environmentId, ids)).map(toEngineFlag);
        },
      );
      const segments = await merge<Segment>(
        await store.listSegmentStamps(trx, row.project_id),
        before?.ruleset.segments,
        before?.segmentStamps,
        async (stamps) => {
          const loaded: Segment[] = [];
          for (const { id, key } of stamps) {
            const segment = await loadSegment(trx, id, before?.ruleset.segments[key]);
            if (segment !== undefined) loaded.push(segment);
          }
          return loaded;
        },
      );
      const { version, environment, project } = row;
      const ruleset = { version, environment, project, flags: flags.items, segments: segments.items };
      return { ruleset, flagStamps: flags.stamps, segmentStamps: segments.stamps };
    });
}

/** By key, in the order of the stamps. Loads only items whose stamp has changed. */
async function merge<T extends { readonly key: string }>(
  stamps: readonly store.Stamp[],
  before: Readonly<Record<string, T>> | undefined,
  stampsBefore: ReadonlyMap<string, string> | undefined,
  load: (stamps: readonly store.Stamp[]) => Promise<T[]>,
): Promise<{ items: Record<string, T>; stamps: Map<string, string> }> {
  const isNew = (stamp: store.Stamp) => stampsBefore?.get(stamp.key) !== textOf(stamp);
  const loaded = new Map((await load(stamps.filter(isNew))).map((item) => [item.key, item]));
  // Keys begin with a letter or digit, so none of them is `__proto__`.
  const items: Record<string, T> = {};
  const texts = new Map<string, string>();
  for (const stamp of stamps) {
    const item = loaded.get(stamp.key) ?? before?.[stamp.key];
    if (item === undefined) continue;
    items[stamp.key] = item;
    texts.set(stamp.key, textOf(stamp));
  }
  return { items, stamps: texts };
}

function textOf({ id, version }: store.Stamp): string {
  return `${id}:${version}`;
}

export function toEngineFlag({ flag, targeting, ramp, hold }: store.ServedFlag): Flag {
  const config = targeting?.config ?? initialTargeting(flag);
  const base = toServe(config.fallthrough);
  // Without a row there is no rollout yet; the first write assigns the salt.
  const salt = targeting?.salt ?? flag.id;
  const held = heldServe(base, hold);
  return {
    key: flag.key,
    kind: flag.kind,
    version: flag.serve_version + (targeting?.flag_version ?? 0),
    enabled: config.enabled,
    variants: flag.variants.map(({ key, value }) => ({ key, value: value as JsonValue })),
    off_variant: config.off_variant,
    fallthrough: ramp === undefined ? held.fallthrough : rampedServe(base, rampState(ramp)),
    targets: config.targets.map(({ variant, values, attribute, context_kind }) => ({
      variant,
      values,
      ...(attribute !== undefined && { attribute }),
      ...(context_kind !== undefined && { context_kind }),
    })),
    rules: [...config.rules.map(toRule), ...held.rules.map((rule) => ({ ...rule, salt }))],
    salt,
    prerequisites: flag.prerequisites,
    ...(Object.keys(flag.metadata).length > 0 && { metadata: flag.metadata }),
    ...(!flag.client_visible && { client_visible: false }),
  };
}

function toRule({ id, salt, description, clauses, shares, ...serve }: StoredRule): Rule {
  return {
    id,
    salt,
    ...(description !== undefined && { description }),
    clauses: clauses as Rule['clauses'],
    ...(shares !== undefined && { shares: shares.map(toShare) }),
    ...toServe(serve),
  };
}
