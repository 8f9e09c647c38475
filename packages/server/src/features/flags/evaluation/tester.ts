import { contextLimits, flagTestRoutes } from '@fanion/contract';
import { evaluate, explain } from '@fanion/flag-engine';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import { contextOf } from './context.ts';
import type { Rulesets } from './rulesets.ts';

/** Evaluation for the web application: what a context would get, and why. It is not counted as an exposure. */
export function flagTestHandlers({ rulesets }: { rulesets: Rulesets }): MountedRoute[] {
  return implement(flagTestRoutes, {
    async testFlag({ environment, params: { key }, query, request }) {
      // The original body: names that parsing drops (`__proto__`) are data here.
      const read = contextOf(request.body, contextLimits.server);
      if ('problem' in read) {
        const { message } = read.problem;
        throw fail('INVALID_INPUT', { reason: message }, { details: [{ path: 'context', message }] });
      }
      const held = await rulesets.get(environment.id);
      if (held === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
      const { bucket: _, tracked: __, ...evaluation } = evaluate(held.compiled, key, read.context);
      if (evaluation.error?.code === 'FLAG_NOT_FOUND') throw fail('FLAG_NOT_FOUND', { key });
      if (!query.explain) return evaluation;
      const { evaluation: ___, ...explanation } = explain(held.compiled, key, read.context);
      return { ...evaluation, explanation };
    },
  });
}
