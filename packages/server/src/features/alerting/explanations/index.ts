import { explanationRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId } from '../../../platform/ids.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { findInstance, findRule } from '../alert-rules/index.ts';
import { explain } from './explain.ts';

/** Why an instance of an alert rule fired. */
export const explanationsFeature = {
  name: 'alerting/explanations',
  routes: handlers,
} satisfies Feature;

function handlers({ db, access, gateway }: FeatureDependencies & { gateway: Gateway }): MountedRoute[] {
  return implement(explanationRoutes, {
    async explainAlertInstance({ workspace, caller, params, signal }) {
      const instance = isId(params.id) ? await findInstance(db, workspace.id, params.id) : undefined;
      const rule = instance && (await findRule(db, workspace.id, instance.rule_id));
      if (instance === undefined || rule === undefined) throw fail('NOT_FOUND', { resource: 'alert instance' });
      const scope = await access.scope(caller, {
        workspace: workspace.id,
        project: rule.project_id,
        ...(rule.environment !== null && { environment: rule.environment }),
      });
      if (!scope.permissionsBelow.has('telemetry:query'))
        throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
      return explain({ gateway, db }, rule, instance, { lane: 'interactive', signal });
    },
  });
}
