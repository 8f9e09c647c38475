import type { inhibitionRulesRoutes, RouteBody } from '@fanion/contract';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import { compileStored, type Matcher, readMatchers } from '../matchers/index.ts';
import * as store from './store.ts';

const maxRules = 200;
/** Instructions of all patterns: comparing one alert with all rules takes at most some 50 ms for the longest labels. */
const maxSize = 10_000;

type Routes = typeof inhibitionRulesRoutes;
type Draft = RouteBody<Routes['createInhibitionRule']>;
type Patch = RouteBody<Routes['updateInhibitionRule']>;

export function createInhibitionRuleService({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) {
  async function checkSize(trx: Executor, workspaceId: string): Promise<void> {
    const all = await store.listInhibitionRules(trx, [workspaceId]);
    const size = all.reduce((sum, one) => sum + compileStored(one.source).size + compileStored(one.target).size, 0);
    if (size > maxSize)
      throw invalid('source', `makes the patterns of all rules too large: ${size} instructions of ${maxSize}`);
  }

  async function presentOne(executor: Executor, workspaceId: string, id: string) {
    const row = isId(id) ? await store.findRule(executor, workspaceId, id) : undefined;
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'inhibition rule' });
    return present(row);
  }

  return {
    /** One row more than `limit` where there are more. */
    async list(workspace: WorkspaceRef, { after, limit }: { after: string | undefined; limit: number }) {
      return (await store.listRules(db, workspace.id, { after, limit: limit + 1 })).map(present);
    },

    async get(workspace: WorkspaceRef, id: string) {
      return presentOne(db, workspace.id, id);
    },

    async create(workspace: WorkspaceRef, caller: UserCaller, draft: Draft, origin: Origin) {
      const values = valuesOf(draft);
      const now = dateOf(clock);
      const id = newId(now.getTime());
      return db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        if ((await store.listInhibitionRules(trx, [workspace.id])).length >= maxRules)
          throw fail('LIMIT_REACHED', { limit: maxRules, resource: 'inhibition rules' });
        const owner = { workspace_id: workspace.id, created_by: caller.user.id, created_at: now };
        await store.insertRule(trx, { id, ...owner, ...values });
        await checkSize(trx, workspace.id);
        const resource = { type: 'inhibition_rule', id, name: values.name };
        const fact = { workspaceId: workspace.id, action: 'inhibition_rules.create', resource, after: values };
        await recordAudit(trx, origin, fact, now);
        return presentOne(trx, workspace.id, id);
      });
    },

    /** Throws `STALE_VERSION` where `version` is given and another one is current. */
    async update(workspace: WorkspaceRef, id: string, { version, ...patch }: Patch, origin: Origin) {
      const now = dateOf(clock);
      return db.transaction().execute(async (trx) => {
        const before = isId(id) ? await store.lockRule(trx, workspace.id, id) : undefined;
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'inhibition rule' });
        refuseStale(version, before.version);
        const values = valuesOf({
          name: patch.name ?? before.name,
          source: patch.source ?? before.source,
          target: patch.target ?? before.target,
          equal: patch.equal ?? before.equal,
        });
        if (isUnchanged(shown(before), values)) return presentOne(trx, workspace.id, id);
        await store.updateRule(trx, id, values, now);
        await checkSize(trx, workspace.id);
        const resource = { type: 'inhibition_rule', id, name: values.name };
        const fact = { workspaceId: workspace.id, action: 'inhibition_rules.update', resource };
        await recordAudit(trx, origin, { ...fact, before: shown(before), after: values }, now);
        return presentOne(trx, workspace.id, id);
      });
    },

    async remove(workspace: WorkspaceRef, id: string, origin: Origin): Promise<void> {
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const before = isId(id) ? await store.lockRule(trx, workspace.id, id) : undefined;
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'inhibition rule' });
        await store.deleteRule(trx, id);
        const resource = { type: 'inhibition_rule', id, name: before.name };
        const fact = { workspaceId: workspace.id, action: 'inhibition_rules.remove', resource, before: shown(before) };
        await recordAudit(trx, origin, fact, now);
      });
    },
  };
}

interface Input {
  readonly name: string;
  readonly source: readonly (string | Matcher)[];
  readonly target: readonly (string | Matcher)[];
  readonly equal: readonly string[];
}

function valuesOf({ name, source, target, equal }: Input): store.InhibitionValues {
  const read = (input: readonly (string | Matcher)[], path: string) => {
    const matchers = readMatchers(input, path);
    if ('message' in matchers) throw invalid(matchers.path, matchers.message);
    return matchers.matchers;
  };
  return { name, source: read(source, 'source'), target: read(target, 'target'), equal: [...new Set(equal)] };
}

function invalid(path: string, message: string) {
  return fail('INHIBITION_RULE_INVALID', { reason: `${path} ${message}` }, { details: [{ path, message }] });
}

function shown({ name, source, target, equal }: store.InhibitionRuleRow) {
  return { name, source, target, equal };
}

function present(row: store.InhibitionRuleRow) {
  return {
    id: row.id,
    ...shown(row),
    version: row.version,
    created_by: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name ?? '' },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
