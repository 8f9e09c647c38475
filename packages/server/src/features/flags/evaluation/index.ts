/**
 * An evaluation: below the framework (`http/raw.ts`), the ruleset of the environment in memory (`rulesets.ts`) decides
 * (`packages/flag-engine/src/decide.ts`), and the answer is a body made when the ruleset was compiled. Streams notify
 * SDKs of a new ruleset (`streams.ts`).
 */

import { contextLimits, evaluationRoutes } from '@fanion/contract';
import { type CompiledRuleset, type EvaluationContext, resolve, sdkFlags } from '@fanion/flag-engine';
import type { BodyBudgets } from '../../../http/body-budgets.ts';
import type { Credentials, SdkCaller } from '../../../http/caller.ts';
import { hasMoreCommas } from '../../../http/json-body.ts';
import { allowedOrigin } from '../../../http/page-origins.ts';
import { implementRaw, type RawHeaders, type RawRequest, type RawRoute } from '../../../http/raw.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Log } from '../../../platform/log.ts';
import type { Feature } from '../../feature.ts';
import { environmentRemoved } from '../../identity/removal/index.ts';
import type { Exposures } from '../exposures/index.ts';
import { rulesetChanged } from '../flags/index.ts';
import { type Answer, bodyOf, data, envelope, withHeaders } from './answer.ts';
import { type ContextProblem, contextOf, tooManyValues, unknownField } from './context.ts';
import { type ContextBudget, createContextBudget } from './context-budget.ts';
import { type DeliveryDependencies, deliveryHandlers, eventStreams, heldSince, viewFor } from './delivery.ts';
import { createEventTickets } from './event-token.ts';
import { ofrepEvaluation, ofrepEvaluations, ofrepFailure, ofrepProblem } from './ofrep.ts';
import type { HeldRuleset, ReadableRulesets, Rulesets } from './rulesets.ts';
import { flagTestHandlers } from './tester.ts';

export { contextOf } from './context.ts';
export { type ContextBudget, createContextBudget } from './context-budget.ts';
export { perRuleset, rulesetTag, sendTagged, stateOf, taggedAnswer } from './converted.ts';
export { allowPreflights, answerPreflights } from './cors.ts';
export {
  encryptableRulesFor,
  heldSince,
  requireFewBytes,
  requireServerKey,
  rulesFor,
  sendProtocolFailure,
  servedTo,
  viewFor,
  whenHeld,
} from './delivery.ts';
export {
  attempt,
  type Converted,
  convertible,
  expressed,
  NotExpressible,
  ofAnyType,
  Reasons,
  reasonsOf,
} from './expressible.ts';
export { joined } from './joined.ts';
export { matchesTag } from './ofrep.ts';
export { portablePattern } from './portable-pattern.ts';
export { createRulesetDisk } from './ruleset-disk.ts';
export { type HeldRuleset, Rulesets } from './rulesets.ts';
export { maxEventBytes } from './sse.ts';
export { findLiveKeys } from './store.ts';
export { createStreams, type Streams } from './streams.ts';

/** Rulesets and their streams, for SDKs that evaluate in their own process. */
export const deliveryFeature = {
  name: 'flags/evaluation',
  role: 'flags',
  routes: deliveryHandlers,
  subscriptions: ({ rulesets }: { rulesets: Rulesets }) => [
    {
      topic: rulesetChanged,
      on: ({ key }) => rulesets.refresh([key]),
      missed: () => rulesets.refresh(),
    },
    { topic: environmentRemoved, on: ({ key }) => rulesets.drop(key) },
  ],
  stop: ({ streams }: Pick<DeliveryDependencies, 'streams'>) => streams.stop(),
} satisfies Feature;

/** What a flag serves to a context, for the tester in the web application. */
export const flagTestFeature = { name: 'flags/evaluation', routes: flagTestHandlers } satisfies Feature;

export interface EvaluationDependencies {
  readonly rulesets: ReadableRulesets<Pick<HeldRuleset, 'compiled'>>;
  /** Throws a `Failure` for an invalid SDK key. Synchronous if the key is known. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly log: Log;
  readonly clock: Clock;
  /** Signs the tickets of event streams. */
  readonly secret: Buffer;
  /** Limits what large contexts of one key may use. */
  readonly budgets: BodyBudgets;
  /** Counts answers by route and status. */
  readonly answered: (route: string, status: number) => void;
  /** Gets each evaluation of a single flag. */
  readonly exposures: Pick<Exposures, 'saw'>;
}

interface Serving extends Pick<EvaluationDependencies, 'rulesets' | 'sdkCaller' | 'log' | 'answered'> {
  readonly budget: ContextBudget;
}

interface Evaluation {
  readonly caller: SdkCaller;
  readonly ruleset: CompiledRuleset;
  readonly context: EvaluationContext;
  readonly request: RawRequest;
  readonly key: string;
}

/** What one endpoint returns: its answers, and its form of an error. */
interface EvaluationEndpoint {
  readonly id: string;
  /** Rejects unknown fields beside `context`. OFREP's bodies may have more fields. */
  readonly strict: boolean;
  readonly evaluate: (evaluation: Evaluation) => Answer;
  /** The version of the ruleset that a change notification announced to the client. */
  readonly announced?: (request: RawRequest) => number | undefined;
  readonly badContext: (problem: ContextProblem, key: string, request: RawRequest) => Answer;
  readonly failure: (failure: Failure, key: string, request: Omit<RawRequest, 'body'>) => Answer;
}

/**
 * Evaluation for SDKs, in the product's own bodies and in OFREP's: from memory, with answers prepared at compile time.
 * Once key and environment are known, it is synchronous: it waits neither for a store nor for a turn of the event loop.
 */
export function evaluationFeature(dependencies: EvaluationDependencies): RawRoute[] {
  const { clock, secret, budgets, exposures } = dependencies;
  const parts: Serving = { ...dependencies, budget: createContextBudget(budgets) };
  const ticketFor = createEventTickets(secret);

  const own = {
    strict: true,
    badContext: ({ message, path = 'context' }: ContextProblem, _key: string, { headers }: RawRequest) =>
      envelope(fail('INVALID_INPUT', { reason: message }, { details: [{ path, message }] }), headers),
    failure: (failure: Failure, _key: string, { headers }: Pick<RawRequest, 'headers'>) => envelope(failure, headers),
  };
  return implementRaw(evaluationRoutes, {
    evaluateFlag: serve(parts, {
      ...own,
      id: evaluationRoutes.evaluateFlag.id,
      evaluate({ caller, ruleset, context, key, request: { headers } }) {
        const outcome = resolve(ruleset, key, context);
        const { evaluation, sdk } = outcome;
        exposures.saw(caller, ruleset, outcome, context, headers.traceparent);
        return evaluation.error?.code === 'FLAG_NOT_FOUND'
          ? envelope(fail('FLAG_NOT_FOUND', { key }), headers)
          : data(sdk, headers);
      },
    }),
    evaluateAllFlags: serve(parts, {
      ...own,
      id: evaluationRoutes.evaluateAllFlags.id,
      evaluate: ({ ruleset, context, request: { headers } }) =>
        data(`{"flags":${sdkFlags(ruleset, context)}}`, headers),
    }),
    ofrepEvaluate: serve(parts, {
      id: evaluationRoutes.ofrepEvaluate.id,
      strict: false,
      evaluate({ caller, ruleset, context, key, request: { headers } }) {
        const outcome = resolve(ruleset, key, context);
        exposures.saw(caller, ruleset, outcome, context, headers.traceparent);
        return ofrepEvaluation(outcome, context);
      },
      badContext: (problem, key) => ofrepProblem(400, problem, key),
      failure: (failure, key) => ofrepFailure(failure, key),
    }),
    ofrepEvaluateAll: serve(parts, {
      id: evaluationRoutes.ofrepEvaluateAll.id,
      strict: false,
      announced: ({ url }) => announcedVersion(url),
      evaluate: ({ ruleset, context, caller, request: { headers, body } }) =>
        ofrepEvaluations({
          ruleset,
          environmentId: caller.environmentId,
          context,
          body,
          ifNoneMatch: headers['if-none-match'],
          eventStreams: eventStreams(ticketFor(caller, clock.now())),
        }),
      badContext: (problem) => ofrepProblem(400, problem, undefined),
      failure: (failure) => ofrepFailure(failure, undefined),
    }),
  });
}

function serve(parts: Serving, endpoint: EvaluationEndpoint): Omit<RawRoute, 'route'> {
  const { sdkCaller, log, budget, answered } = parts;
  const failed = (error: unknown, request: Omit<RawRequest, 'body'>, key: string) =>
    failureAnswer(endpoint, error, key, request, log);
  const counted = (answer: Answer): Answer => {
    answered(endpoint.id, answer.status);
    return answer;
  };
  return {
    gate(request, key) {
      try {
        const caller = sdkCaller(credentialsOf(request.headers));
        const admitted = (known: SdkCaller): number | Answer => {
          const length = request.headers['content-length'];
          const refusal = length === undefined ? undefined : budget.refusalOf(known, Number(length));
          if (refusal === undefined) return contextLimits[known.keyKind].bytes;
          return counted(withHeaders(failed(refusal, request, key), allowedOrigin(known, request.headers.origin)));
        };
        return caller instanceof Promise
          ? caller.then(admitted).catch((error) => counted(failed(error, request, key)))
          : admitted(caller);
      } catch (error) {
        return counted(failed(error, request, key));
      }
    },
    handler(request, key) {
      try {
        const caller = sdkCaller(credentialsOf(request.headers));
        const answer =
          caller instanceof Promise
            ? caller
                .then((known) => answerTo(parts, endpoint, known, request, key))
                .catch((error) => failed(error, request, key))
            : answerTo(parts, endpoint, caller, request, key);
        return answer instanceof Promise ? answer.then(counted) : counted(answer);
      } catch (error) {
        return counted(failed(error, request, key));
      }
    },
  };
}

/** Never throws and never rejects: once the key is known, its origins may read every response, errors too. */
function answerTo(
  { rulesets, log, budget }: Serving,
  endpoint: EvaluationEndpoint,
  caller: SdkCaller,
  request: RawRequest,
  key: string,
): Answer | Promise<Answer> {
  const origin = allowedOrigin(caller, request.headers.origin);
  const failed = (error: unknown) => withHeaders(failureAnswer(endpoint, error, key, request, log), origin);
  try {
    const limit = contextLimits[caller.keyKind];
    const read = budget.reading(caller, request.body?.length ?? 0, () => {
      if (request.body !== undefined && hasMoreCommas(request.body, limit.values)) return tooManyValues(limit);
      const body = bodyOf(request, limit);
      return (endpoint.strict ? unknownField(body) : undefined) ?? contextOf(body, limit);
    });
    if ('problem' in read) return withHeaders(endpoint.badContext(read.problem, key, request), origin);
    const { context } = read;
    const evaluated = (held: Pick<HeldRuleset, 'compiled'> | undefined): Answer => {
      if (held === undefined) throw fail('UNAUTHENTICATED', { reason: 'the environment of this key was deleted' });
      const ruleset = viewFor(caller, held.compiled);
      return withHeaders(endpoint.evaluate({ caller, ruleset, context, request, key }), origin);
    };
    const news = endpoint.announced?.(request);
    const held =
      news === undefined ? rulesets.get(caller.environmentId) : heldSince(rulesets, caller.environmentId, news);
    return held instanceof Promise ? held.then(evaluated).catch(failed) : evaluated(held);
  } catch (error) {
    return failed(error);
  }
}

/** Clients send the tag of a `refetchEvaluation` event as `flagConfigEtag`: `"<environment id>-<version>"`. */
function announcedVersion(url: string): number | undefined {
  const at = url.indexOf('?');
  const tag = at < 0 ? null : new URLSearchParams(url.slice(at)).get('flagConfigEtag');
  const version = tag === null ? undefined : /-(\d{1,15})"?$/.exec(tag)?.[1];
  return version === undefined ? undefined : Number(version);
}

function credentialsOf(headers: RawHeaders): Credentials {
  const apiKey = headers['x-api-key'];
  return {
    cookie: undefined,
    authorization: headers.authorization,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
  };
}

function failureAnswer(
  endpoint: EvaluationEndpoint,
  error: unknown,
  key: string,
  request: Omit<RawRequest, 'body'>,
  log: Log,
): Answer {
  const failure =
    error instanceof Failure
      ? error
      : fail('STORE_UNAVAILABLE', { store: 'control plane' }, { retryAfterSeconds: 2, cause: error });
  if (!(error instanceof Failure)) log.error({ err: error, route: endpoint.id }, 'an evaluation failed');
  return withHeaders(endpoint.failure(failure, key, request), {
    ...(failure.retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(failure.retryAfterSeconds)) }),
    ...(failure.status === 401 && { 'www-authenticate': 'Bearer' }),
  });
}
