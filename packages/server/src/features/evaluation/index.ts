import { evaluationRoutes } from '@fanion/contract';
import { type CompiledRuleset, resolve, sdkFlags } from '@fanion/flag-engine';
import type { SdkCaller } from '../../http/caller.ts';
import { implement, type MountedRoute } from '../../http/context.ts';
import { sendFailure } from '../../http/envelope.ts';
import { fail } from '../../platform/fail.ts';
import { contextOf } from './context.ts';
import { allowOrigin } from './cors.ts';
import { sendEvaluation, sendEvaluations, sendOfrepFailure, sendOfrepProblem } from './ofrep.ts';
import type { Rulesets } from './rulesets.ts';

export { answerPreflights } from './cors.ts';
export { createRulesets, type RulesetSource, type Rulesets } from './rulesets.ts';

const json = 'application/json; charset=utf-8';

/** Evaluation for SDKs, in the product's own bodies and in OFREP's: from memory, with answers made ready at compile time. */
export function evaluationFeature({ rulesets }: { rulesets: Rulesets }): MountedRoute[] {
  async function rulesetOf(caller: SdkCaller): Promise<CompiledRuleset> {
    const found = rulesets.get(caller.environmentId);
    const ruleset = found instanceof Promise ? await found : found;
    if (ruleset === undefined) throw fail('UNAUTHENTICATED', { reason: 'the environment of this key is gone' });
    return ruleset;
  }

  function context(body: unknown) {
    const read = contextOf(body);
    if ('problem' in read)
      throw fail(
        'INVALID_INPUT',
        { reason: read.problem.message },
        { details: [{ path: 'context', message: read.problem.message }] },
      );
    return read.context;
  }

  return implement(
    evaluationRoutes,
    {
      async evaluateFlag({ caller, params, body, request, requestId, reply }) {
        const { evaluation, sdk } = resolve(await rulesetOf(caller), params.key, context(body));
        if (evaluation.error?.code === 'FLAG_NOT_FOUND') throw fail('FLAG_NOT_FOUND', { key: params.key });
        allowOrigin(caller, request, reply);
        reply
          .header('content-type', json)
          .send(`{"data":${sdk},"error":null,"meta":{"request_id":${JSON.stringify(requestId)}}}`);
        return undefined;
      },
      async evaluateAllFlags({ caller, body, request, requestId, reply }) {
        const flags = sdkFlags(await rulesetOf(caller), context(body));
        allowOrigin(caller, request, reply);
        reply
          .header('content-type', json)
          .send(`{"data":{"flags":${flags}},"error":null,"meta":{"request_id":${JSON.stringify(requestId)}}}`);
        return undefined;
      },
      async ofrepEvaluate({ caller, params, body, request, reply }) {
        allowOrigin(caller, request, reply);
        const read = contextOf(body);
        if ('problem' in read) sendOfrepProblem(reply, 400, read.problem, params.key);
        else sendEvaluation(reply, await rulesetOf(caller), params.key, read.context);
        return undefined;
      },
      async ofrepEvaluateAll({ caller, body, request, reply }) {
        allowOrigin(caller, request, reply);
        const read = contextOf(body);
        if ('problem' in read) sendOfrepProblem(reply, 400, read.problem, undefined);
        else sendEvaluations(request, reply, caller.environmentId, await rulesetOf(caller), read.context);
        return undefined;
      },
    },
    (error, request, reply) =>
      (request.url.startsWith('/ofrep/') ? sendOfrepFailure : sendFailure)(error, request, reply),
  );
}
