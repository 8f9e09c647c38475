import type { Flag, JsonValue, Rule, Ruleset, Serve, ServeDraft } from '@fanion/flag-engine';
import type { Database } from '../../platform/postgres/database.ts';
import { initialTargeting, type StoredRule } from './rules.ts';
import * as store from './store.ts';

/**
 * The ruleset of an environment as it is now. Undefined: the environment is gone. One transaction at repeatable read,
 * so that its version and its content belong together.
 */
export async function loadRuleset(db: Database, environmentId: string): Promise<Ruleset | undefined> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const row = await store.findRuleset(trx, environmentId);
      if (row === undefined) return undefined;
      const served = await store.listServedFlags(trx, row.project_id, environmentId);
      const flags = Object.fromEntries(served.map(({ flag, targeting }) => [flag.key, toEngineFlag(flag, targeting)]));
      return { version: row.version, environment: row.environment, project: row.project, flags, segments: {} };
    });
}

function toEngineFlag(flag: store.FlagRow, targeting: store.TargetingRow | undefined): Flag {
  const config = targeting?.config ?? initialTargeting(flag);
  return {
    key: flag.key,
    kind: flag.kind,
    version: targeting?.flag_version ?? flag.version,
    enabled: config.enabled,
    variants: flag.variants.map(({ key, value }) => ({ key, value: value as JsonValue })),
    off_variant: config.off_variant,
    fallthrough: toServe(config.fallthrough),
    targets: config.targets.map(({ variant, values, attribute }) => ({
      variant,
      values,
      ...(attribute !== undefined && { attribute }),
    })),
    rules: config.rules.map(toRule),
    // Without a row there is nothing to divide yet; the salt is given out with the first write.
    salt: targeting?.salt ?? flag.id,
    prerequisites: [],
  };
}

function toRule({ id, salt, description, clauses, ...serve }: StoredRule): Rule {
  return {
    id,
    salt,
    ...(description !== undefined && { description }),
    clauses: clauses as Rule['clauses'],
    ...toServe(serve),
  };
}

/** What was checked on write has exactly one of the two. */
function toServe({ variant, rollout }: ServeDraft): Serve {
  return rollout === undefined
    ? { variant: variant ?? '' }
    : { rollout: rollout as Extract<Serve, { rollout: unknown }>['rollout'] };
}
