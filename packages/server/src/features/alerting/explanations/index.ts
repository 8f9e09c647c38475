import { explanationRoutes } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId } from '../../../platform/ids.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { requireReadable } from '../../identity/access/index.ts';
import type { WhyService } from '../../telemetry/why/index.ts';
import { alertRules, findInstance } from '../alert-rules/index.ts';
import type { Explanation } from '../notification.ts';
import { type ExplainParts, explain } from './explain.ts';

/** Why an instance of an alert rule fired. */
export const explanationsFeature = {
  name: 'alerting/explanations',
  routes: handlers,
} satisfies Feature;

/** Explains an instance to those that are notified of it; undefined for one that is gone. */
export function createExplain(parts: ExplainParts) {
  return async (workspaceId: string, instanceId: string, signal: AbortSignal): Promise<Explanation | undefined> => {
    const instance = await findInstance(parts.db, workspaceId, instanceId);
    const rule = instance && (await alertRules.find(parts.db, workspaceId, instance.rule_id));
    return rule && explain(parts, rule, instance, { lane: 'alert', signal });
  };
}

function handlers({
  db,
  access,
  gateway,
  why,
  config,
}: FeatureDependencies & { gateway: Gateway; why: WhyService; config: Pick<Config, 'explanations'> }): MountedRoute[] {
  const { maxSeconds } = config.explanations;
  return implement(explanationRoutes, {
    async explainAlertInstance({ workspace, caller, params, signal }) {
      const instance = isId(params.id) ? await findInstance(db, workspace.id, params.id) : undefined;
      const rule = instance && (await alertRules.find(db, workspace.id, instance.rule_id));
      if (instance === undefined || rule === undefined) throw fail('NOT_FOUND', { resource: 'alert instance' });
      await requireReadable(access, caller, {
        workspace: workspace.id,
        project: rule.project_id,
        environment: rule.environment ?? undefined,
      });
      return explain({ gateway, db, why, maxSeconds }, rule, instance, { lane: 'interactive', signal });
    },
  });
}
