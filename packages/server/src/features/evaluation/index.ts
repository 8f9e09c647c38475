import type { IncomingMessage, ServerResponse } from 'node:http';
import { evaluationRoutes } from '@fanion/contract';
import { type CompiledRuleset, type EvaluationContext, resolve, sdkFlags } from '@fanion/flag-engine';
import type { Credentials, SdkCaller } from '../../http/caller.ts';
import { errorBody } from '../../http/envelope.ts';
import { implementRaw, type RawHandler, type RawRoute, readBody } from '../../http/raw.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure, fail } from '../../platform/fail.ts';
import type { Log } from '../../platform/log.ts';
import type { Exposures } from '../exposures/index.ts';
import { type Answer, requestIdOf, write } from './answer.ts';
import { type ContextProblem, contextOf } from './context.ts';
import { allowedOrigin } from './cors.ts';
import { eventStreams, heldSince } from './delivery.ts';
import { createEventTickets } from './event-token.ts';
import { ofrepEvaluation, ofrepEvaluations, ofrepFailure, ofrepProblem } from './ofrep.ts';
import type { Rulesets } from './rulesets.ts';

export { answerPreflights } from './cors.ts';
export { deliveryFeature } from './delivery.ts';
export { createRulesetDisk } from './ruleset-disk.ts';
export { createRulesets, type RulesetSource, type Rulesets } from './rulesets.ts';
export { findLiveKeys } from './store.ts';
export { createStreams } from './streams.ts';
export { flagTestFeature } from './tester.ts';

/** A context is a set of facts about one unit; what is larger is a mistake. */
export const maxEvaluationBytes = 1024 * 1024;

export interface EvaluationDependencies {
  readonly rulesets: Rulesets;
  /** Throws a `Failure` for what is not a valid SDK key; at once where the key is known. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly log: Log;
  readonly clock: Clock;
  /** What the tickets of event streams are signed with. */
  readonly secret: Buffer;
  /** Counts answers by route and status. */
  readonly answered: (route: string, status: number) => void;
  /** Is told of each evaluation of a single flag. */
  readonly exposures: Pick<Exposures, 'saw'>;
}

interface Evaluation {
  readonly caller: SdkCaller;
  readonly ruleset: CompiledRuleset;
  readonly context: EvaluationContext;
  readonly request: IncomingMessage;
  readonly key: string;
}

/** How one door speaks: its answers, and its form of what goes wrong. */
interface Door {
  readonly id: string;
  readonly evaluate: (evaluation: Evaluation) => Answer;
  /** The version of the ruleset that the client was told of. */
  readonly announced?: (request: IncomingMessage) => number | undefined;
  readonly badContext: (problem: ContextProblem, key: string, request: IncomingMessage) => Answer;
  readonly failure: (failure: Failure, key: string, request: IncomingMessage) => Answer;
}

/**
 * Evaluation for SDKs, in the product's own bodies and in OFREP's: from memory, with answers made ready at compile
 * time. Nothing here waits for a store once key and environment are known.
 */
export function evaluationFeature(dependencies: EvaluationDependencies): RawRoute[] {
  const { rulesets, sdkCaller, log, clock, secret, answered, exposures } = dependencies;
  const ticketFor = createEventTickets(secret);

  function serve(door: Door): RawHandler {
    return (request, response, key) => {
      readBody(request, maxEvaluationBytes, (body) => {
        void finish(door, request, response, key, body);
      });
    };
  }

  async function finish(
    door: Door,
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    body: Buffer | undefined,
  ): Promise<void> {
    let answer: Answer;
    let origin: Readonly<Record<string, string>> | undefined;
    try {
      const known = sdkCaller(credentialsOf(request));
      const caller = known instanceof Promise ? await known : known;
      origin = allowedOrigin(caller, request.headers.origin);
      const read = contextOf(parse(request, body));
      if ('problem' in read) answer = door.badContext(read.problem, key, request);
      else {
        const news = door.announced?.(request);
        const found =
          news === undefined ? rulesets.get(caller.environmentId) : heldSince(rulesets, caller.environmentId, news);
        const held = found instanceof Promise ? await found : found;
        if (held === undefined) throw fail('UNAUTHENTICATED', { reason: 'the environment of this key is gone' });
        answer = door.evaluate({ caller, ruleset: held.compiled, context: read.context, request, key });
      }
    } catch (error) {
      answer = failureAnswer(door, error, key, request, log);
    }
    write(response, origin === undefined ? answer : { ...answer, headers: { ...answer.headers, ...origin } });
    answered(door.id, answer.status);
  }

  const own = {
    badContext: ({ message }: ContextProblem, _key: string, request: IncomingMessage) =>
      envelope(
        fail('INVALID_INPUT', { reason: message }, { details: [{ path: 'context', message }] }),
        requestIdOf(request),
      ),
    failure: (failure: Failure, _key: string, request: IncomingMessage) => envelope(failure, requestIdOf(request)),
  };
  return implementRaw(evaluationRoutes, {
    evaluateFlag: serve({
      ...own,
      id: evaluationRoutes.evaluateFlag.id,
      evaluate({ caller, ruleset, context, key, request }) {
        const { evaluation, sdk } = resolve(ruleset, key, context);
        exposures.saw(caller, ruleset, evaluation, context, request.headers.traceparent);
        return evaluation.error?.code === 'FLAG_NOT_FOUND'
          ? envelope(fail('FLAG_NOT_FOUND', { key }), requestIdOf(request))
          : data(sdk, request);
      },
    }),
    evaluateAllFlags: serve({
      ...own,
      id: evaluationRoutes.evaluateAllFlags.id,
      evaluate: ({ ruleset, context, request }) => data(`{"flags":${sdkFlags(ruleset, context)}}`, request),
    }),
    ofrepEvaluate: serve({
      id: evaluationRoutes.ofrepEvaluate.id,
      evaluate({ caller, ruleset, context, key, request }) {
        const outcome = resolve(ruleset, key, context);
        exposures.saw(caller, ruleset, outcome.evaluation, context, request.headers.traceparent);
        return ofrepEvaluation(outcome, context);
      },
      badContext: (problem, key) => ofrepProblem(400, problem, key),
      failure: (failure, key) => ofrepFailure(failure, key),
    }),
    ofrepEvaluateAll: serve({
      id: evaluationRoutes.ofrepEvaluateAll.id,
      announced: ({ url = '' }) => announcedVersion(url),
      evaluate: ({ ruleset, context, caller, request: { headers } }) =>
        ofrepEvaluations(
          ruleset,
          caller.environmentId,
          context,
          headers['if-none-match'],
          eventStreams(ticketFor(caller, clock.now())),
        ),
      badContext: (problem) => ofrepProblem(400, problem, undefined),
      failure: (failure) => ofrepFailure(failure, undefined),
    }),
  });
}

/** Clients send the tag of a `refetchEvaluation` event along, as `flagConfigEtag`: `"<environment id>-<version>"`. */
function announcedVersion(url: string): number | undefined {
  const at = url.indexOf('?');
  const tag = at < 0 ? null : new URLSearchParams(url.slice(at)).get('flagConfigEtag');
  const version = tag === null ? undefined : /-(\d{1,15})"?$/.exec(tag)?.[1];
  return version === undefined ? undefined : Number(version);
}

function credentialsOf({ headers }: IncomingMessage): Credentials {
  const apiKey = headers['x-api-key'];
  return {
    cookie: undefined,
    authorization: headers.authorization,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
  };
}

function parse(request: IncomingMessage, body: Buffer | undefined): unknown {
  if (body === undefined) throw fail('BODY_TOO_LARGE', { limit: maxEvaluationBytes });
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/json\b/i.test(type))
    throw fail('UNSUPPORTED_MEDIA_TYPE', { type: type.slice(0, 100) });
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw fail('MALFORMED_BODY', { reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown' });
  }
}

function data(text: string, request: IncomingMessage): Answer {
  return { status: 200, body: `{"data":${text},"error":null,"meta":{"request_id":"${requestIdOf(request)}"}}` };
}

function envelope(failure: Failure, requestId: string): Answer {
  return {
    status: failure.status,
    body: JSON.stringify({ data: null, error: errorBody(failure), meta: { request_id: requestId } }),
  };
}

function failureAnswer(door: Door, error: unknown, key: string, request: IncomingMessage, log: Log): Answer {
  const failure =
    error instanceof Failure
      ? error
      : fail('STORE_UNAVAILABLE', { store: 'control plane' }, { retryAfterSeconds: 2, cause: error });
  if (!(error instanceof Failure)) log.error({ err: error, route: door.id }, 'an evaluation could not be answered');
  const answer = door.failure(failure, key, request);
  const headers = {
    ...(failure.retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(failure.retryAfterSeconds)) }),
    ...(failure.status === 401 && { 'www-authenticate': 'Bearer' }),
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
