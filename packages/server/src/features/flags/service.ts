import { randomBytes } from 'node:crypto';
import { type TargetingDraft, validateTargeting, validateVariants } from '@fanion/flag-engine';
import type { EnvironmentRef, ProjectRef, UserCaller, WorkspaceRef } from '../../http/caller.ts';
import type { Origin } from '../../http/context.ts';
import { dateOf } from '../../platform/clock.ts';
import { fail } from '../../platform/fail.ts';
import { newId } from '../../platform/ids.ts';
import type { Outbox } from '../../platform/outbox/index.ts';
import { recordAudit } from '../audit/index.ts';
import type { FeatureDependencies } from '../dependencies.ts';
import { refuseIdAsKey } from '../keys.ts';
import { pinOf, refuseEnvironmentPin } from '../pins.ts';
import {
  defaultVariants,
  initialTargeting,
  namedVariants,
  stateOf,
  type VariantFact,
  withRuleIdentities,
} from './rules.ts';
import * as store from './store.ts';

export const maxFlags = 5_000;

export interface FlagsDependencies extends FeatureDependencies {
  readonly outbox: Outbox;
  /** Lets this replica serve a change before the change is answered. */
  readonly refresh: (environmentIds: readonly string[]) => Promise<void>;
}

interface Place {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
}
interface NewFlag {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly kind: store.FlagRow['kind'];
  readonly variants?: readonly { key: string; value: unknown; name?: string | undefined }[] | undefined;
  readonly default_variant?: string | undefined;
  readonly off_variant?: string | undefined;
  readonly tags: readonly string[];
  readonly temporary: boolean;
}
type NewTargeting = TargetingDraft & { readonly version: number; readonly comment?: string | undefined };

/** 80 random bits: enough that no two rules or environments ever divide units alike by accident. */
const newIdentity = () => randomBytes(10).toString('hex');

export function createFlagService({ db, clock, outbox, refresh }: FlagsDependencies) {
  async function environmentsFor(project: ProjectRef, caller: UserCaller): Promise<store.EnvironmentRow[]> {
    const only = pinOf(caller)?.environmentId;
    const all = await store.listEnvironments(db, project.id);
    return only == null ? all : all.filter(({ id }) => id === only);
  }

  async function present(flags: readonly store.FlagRow[], environments: readonly store.EnvironmentRow[]) {
    const targeting = await store.findTargeting(
      db,
      flags.map(({ id }) => id),
      environments.map(({ id }) => id),
    );
    const names = await store.findUserNames(
      db,
      flags.flatMap(({ created_by }) => created_by ?? []),
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
      created_by: flag.created_by === null ? null : (names.get(flag.created_by) ?? null),
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

  async function presentTargeting(
    flag: store.FlagRow,
    environment: EnvironmentRef,
    row: store.TargetingRow | undefined,
  ) {
    const { config, version, flag_version, updated_at, updated_by } = row ?? {
      config: initialTargeting(flag),
      version: 0,
      flag_version: flag.version,
      updated_at: flag.created_at,
      updated_by: flag.created_by,
    };
    const names = await store.findUserNames(db, updated_by === null ? [] : [updated_by]);
    return {
      flag: flag.key,
      environment: environment.key,
      enabled: config.enabled,
      off_variant: config.off_variant,
      fallthrough: config.fallthrough,
      targets: config.targets,
      // The salt is nobody's business but the engine's.
      rules: config.rules.map(({ salt: _, ...rule }) => ({
        ...rule,
        clauses: rule.clauses.map((clause) => ({ ...clause, negate: clause.negate ?? false })),
      })),
      version,
      flag_version,
      updated_at: updated_at.toISOString(),
      updated_by: updated_by === null ? null : (names.get(updated_by) ?? null),
    };
  }

  async function existing(project: ProjectRef, key: string): Promise<store.FlagRow> {
    const flag = await store.findFlag(db, project.id, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    return flag;
  }

  return {
    async list(
      { project }: Place,
      caller: UserCaller,
      options: {
        search: string | undefined;
        tag: string | undefined;
        archived: boolean;
        after: string | undefined;
        limit: number;
      },
    ) {
      const rows = await store.listFlags(db, project.id, { ...options, limit: options.limit + 1 });
      return present(rows, await environmentsFor(project, caller));
    },

    async get({ project }: Place, caller: UserCaller, key: string) {
      const [flag] = await present([await existing(project, key)], await environmentsFor(project, caller));
      if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
      return flag;
    },

    async create({ workspace, project }: Place, caller: UserCaller, input: NewFlag, origin: Origin) {
      refuseEnvironmentPin(caller, 'flags:write');
      refuseIdAsKey(input.key, 'key');
      const variants = (input.variants as readonly VariantFact[] | undefined) ?? defaultVariants(input.kind) ?? [];
      const named = namedVariants(input.kind, variants, input);
      const issues = validateVariants({ kind: input.kind, variants, ...named });
      refuse('INVALID_INPUT', issues);
      const now = dateOf(clock);
      const environments = await store.listEnvironments(db, project.id);
      const created = await db.transaction().execute(async (trx) => {
        if ((await store.countFlags(trx, project.id)) >= maxFlags)
          throw fail('LIMIT_REACHED', { limit: maxFlags, resource: 'flags of a project' });
        const flag = await store.insertFlag(trx, {
          id: newId(now.getTime()),
          project_id: project.id,
          key: input.key,
          name: input.name,
          description: input.description,
          kind: input.kind,
          variants: variants.map(({ key, value, name }) => ({ key, value, ...(name !== undefined && { name }) })),
          ...named,
          tags: [...input.tags],
          temporary: input.temporary,
          created_by: caller.user.id,
          created_at: now,
        });
        if (flag === undefined) throw fail('FLAG_EXISTS', { key: input.key });
        await store.bumpRulesets(
          trx,
          environments.map(({ id }) => id),
          now,
        );
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'flags.create',
            resource: { type: 'flag', id: flag.id, name: flag.key },
            projectId: project.id,
            after: { ...input, variants, ...named },
          },
          now,
        );
        return flag;
      });
      await announce(environments.map(({ id }) => id));
      const [flag] = await present([created], await environmentsFor(project, caller));
      if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key: input.key });
      return flag;
    },

    async getTargeting({ project }: Place, environment: EnvironmentRef, key: string) {
      const flag = await existing(project, key);
      const [row] = await store.findTargeting(db, [flag.id], [environment.id]);
      return presentTargeting(flag, environment, row);
    },

    /** Replaces what the environment serves, where `version` is still the current one. */
    async setTargeting(
      { workspace, project }: Place,
      environment: EnvironmentRef,
      caller: UserCaller,
      key: string,
      input: NewTargeting,
      origin: Origin,
    ) {
      const now = dateOf(clock);
      const { flag, row } = await db.transaction().execute(async (trx) => {
        const flag = await store.lockFlag(trx, project.id, key);
        if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
        if (flag.archived) throw fail('FLAG_ARCHIVED', { key });
        const [before] = await store.findTargeting(trx, [flag.id], [environment.id]);
        const current = before?.version ?? 0;
        if (input.version !== current)
          throw fail(
            'STALE_VERSION',
            { current, given: input.version },
            { details: [{ path: 'version', message: `the current version is ${current}`, current }] },
          );
        const { enabled, off_variant, fallthrough, targets } = input;
        refuse(
          'TARGETING_INVALID',
          validateTargeting({ variants: flag.variants as VariantFact[] }, input, { segments: new Set() }),
        );
        const config = {
          enabled,
          off_variant,
          fallthrough,
          targets,
          rules: withRuleIdentities(input.rules, before?.config.rules ?? [], newIdentity),
        };
        const row: store.TargetingRow = {
          flag_id: flag.id,
          environment_id: environment.id,
          config,
          salt: before?.salt ?? newIdentity(),
          version: current + 1,
          flag_version: (before?.flag_version ?? flag.version) + 1,
          updated_at: now,
          updated_by: caller.user.id,
        };
        await store.saveTargeting(trx, row);
        await store.bumpRulesets(trx, [environment.id], now);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'flags.set_targeting',
            resource: { type: 'flag', id: flag.id, name: flag.key },
            projectId: project.id,
            environmentId: environment.id,
            before: before?.config ?? initialTargeting(flag),
            after: { ...config, ...(input.comment !== undefined && { comment: input.comment }) },
          },
          now,
        );
        return { flag, row };
      });
      await announce([environment.id]);
      return presentTargeting(flag, environment, row);
    },
  };

  /** This replica serves it at once, the others when the outbox reaches them. A failure here is made good by the next poll. */
  async function announce(environmentIds: readonly string[]): Promise<void> {
    outbox.wake();
    await refresh(environmentIds);
  }
}

function refuse(
  error: 'INVALID_INPUT' | 'TARGETING_INVALID',
  issues: readonly { path: string; message: string }[],
): void {
  const [first] = issues;
  if (first !== undefined)
    throw fail(error, { reason: `${first.path}: ${first.message}` }, { details: issues.slice(0, 50) });
}
