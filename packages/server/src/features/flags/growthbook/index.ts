/**
 * GrowthBook's protocol. Remote evaluation (`remote-rules.ts`) answers from the ruleset in memory, as OFREP does. The SDK key
 * is part of the URL, which is never logged.
 */

import { contextLimits, growthBookRoutes } from '@fanion/contract';
import { clientView, type EvaluationContext, type JsonValue } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { toFailure } from '../../../http/envelope.ts';
import { fail } from '../../../platform/fail.ts';
import type { Feature } from '../../feature.ts';
import { allowedOrigin, contextOf, heldSince, type Rulesets } from '../evaluation/index.ts';
import { contextOfAttributes, type Forced, remoteFeatures } from './remote-rules.ts';

export interface GrowthBookDependencies {
  readonly rulesets: Rulesets;
}

function growthBookHandlers({ rulesets }: GrowthBookDependencies): MountedRoute[] {
  return implement(
    growthBookRoutes,
    {
      async growthBookEvaluate({ caller, body, request, reply }) {
        allow(caller, request, reply);
        const context = contextIn(body, caller, request);
        const { compiled } = await heldSince(rulesets, caller.environmentId, undefined);
        const ruleset = caller.keyKind === 'client' ? clientView(compiled) : compiled;
        const features = remoteFeatures(ruleset, context, forcedIn(body));
        reply.header('cache-control', 'no-store').send({ status: 200, features });
        return undefined;
      },
    },
    sendGrowthBookFailure,
  );
}

/** Lets pages of the key's origins read the answer, errors too. */
function allow(caller: SdkCaller, { headers }: FastifyRequest, reply: FastifyReply): void {
  reply.headers(allowedOrigin(caller, headers.origin) ?? {});
}

/** The context of a body, within the limits of the key. Throws `INVALID_INPUT`. */
function contextIn(body: unknown, { keyKind }: SdkCaller, { headers }: FastifyRequest): EvaluationContext {
  const limit = contextLimits[keyKind];
  if (Number(headers['content-length'] ?? 0) > limit.bytes) throw fail('BODY_TOO_LARGE', { limit: limit.bytes });
  const { attributes = {} } = fieldsOf(body ?? {}, 'the body');
  const read = contextOf({ context: contextOfAttributes(fieldsOf(attributes, 'attributes')) }, limit);
  if ('problem' in read) throw fail('INVALID_INPUT', { reason: read.problem.message });
  return read.context;
}

/** Ignores what has another form: it is a tool for developers. */
function forcedIn(body: unknown): Forced {
  const { forcedFeatures, forcedVariations } = fieldsOf(body ?? {}, 'the body');
  const pairs = Array.isArray(forcedFeatures) ? forcedFeatures : [];
  const isPair = (pair: unknown): pair is [string, JsonValue] => Array.isArray(pair) && typeof pair[0] === 'string';
  const chosen = typeof forcedVariations === 'object' ? Object.entries(forcedVariations ?? {}) : [];
  return {
    features: new Map(pairs.filter(isPair)),
    variations: new Map(chosen.map(([key, variation]) => [key, Number(variation)])),
  };
}

function fieldsOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw fail('INVALID_INPUT', { reason: `${what} must be an object` });
}

/** SDKs read the status, and people the message. */
function sendGrowthBookFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error, request);
  if (failure.retryAfterSeconds !== undefined)
    reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
  return reply.code(failure.status).type('application/json').send({ status: failure.status, error: failure.message });
}

export const growthBookFeature = {
  name: 'flags/growthbook',
  role: 'flags',
  routes: growthBookHandlers,
} satisfies Feature;
