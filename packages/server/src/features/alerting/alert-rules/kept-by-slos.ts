import type { AlertDefinition } from '@fanion/contract';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { shardOf } from './spread.ts';
import * as store from './store.ts';

/** A rule of the kind `slo_burn`, as its SLO wants it. */
export interface SloRuleSpec {
  readonly name: string;
  /** Shown with the rule. */
  readonly query: string;
  readonly definition: AlertDefinition;
}

interface OwningSlo {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly environment: string | null;
  readonly updated_by: string | null;
}

/** Makes the rules of an SLO what it wants: one for each severity. A rule that stays keeps its instances. */
export async function putSloRules(
  trx: Executor,
  slo: OwningSlo,
  specs: readonly SloRuleSpec[],
  now: Date,
): Promise<void> {
  const current = await store.listRulesOfSlo(trx, slo.id);
  const severityOf = ({ definition }: Pick<SloRuleSpec, 'definition'>) => definition.burn?.severity;
  for (const rule of current) {
    const spec = specs.find((one) => severityOf(one) === severityOf(rule));
    if (spec === undefined) await store.alertRules.remove(trx, rule.id);
    else {
      const values = { ...spec, enabled: true, ...store.unevaluated };
      await store.alertRules.update(trx, rule.id, values, { by: slo.updated_by, now });
    }
    await store.bumpShard(trx, rule.shard);
  }
  for (const spec of specs) {
    if (current.some((rule) => severityOf(rule) === severityOf(spec))) continue;
    const id = newId(now.getTime());
    const shard = shardOf(id);
    await store.insertRule(trx, {
      id,
      workspace_id: slo.workspace_id,
      project_id: slo.project_id,
      environment: slo.environment,
      shard,
      slo_id: slo.id,
      ...spec,
      enabled: true,
      created_by: slo.updated_by,
      created_at: now,
    });
    await store.bumpShard(trx, shard);
  }
}

/** Deletes the rules of an SLO with their instances. */
export async function removeSloRules(trx: Executor, sloId: string): Promise<void> {
  for (const rule of await store.listRulesOfSlo(trx, sloId)) {
    await store.bumpShard(trx, rule.shard);
    await store.alertRules.remove(trx, rule.id);
  }
}
