/**
 * GrowthBook's protocol. Remote evaluation (`remote-rules.ts`) answers from the ruleset in memory, as OFREP does. For evaluation in
 * the SDK, the ruleset is converted (`convert-rules.ts`), once per version, and encrypted where the key says so (`payloads.ts`). Streams are those of `../evaluation/streams.ts`. What
 * SDKs report (`track-rules.ts`) becomes exposures. The SDK key is part of the URL, which is never logged.
 */

import { contextLimits, growthBookRoutes } from '@fanion/contract';
import type { EvaluationContext, JsonValue } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';
import { type Context, implement, type MountedRoute } from '../../../http/context.ts';
import { failing } from '../../../http/failing.ts';
import { allowedOrigin } from '../../../http/page-origins.ts';
import { createBreath } from '../../../platform/breath.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { fail } from '../../../platform/fail.ts';
import type { Feature } from '../../feature.ts';
import {
  contextOf,
  encryptableRulesFor,
  type HeldRuleset,
  heldSince,
  type Rulesets,
  requireFewBytes,
  rulesetTag,
  type Streams,
  sendTagged,
  servedTo,
  viewFor,
  whenHeld,
} from '../evaluation/index.ts';
import { type Exposures, exposuresAtOnce } from '../exposures/index.ts';
import { createPayloads, eventOf, updated } from './payloads.ts';
import { contextOfAttributes, type Forced, remoteFeatures } from './remote-rules.ts';
import { ignoredIn, reportedIn } from './track-rules.ts';

export interface GrowthBookDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
  readonly exposures: Pick<Exposures, 'saw' | 'flush' | 'ignore'>;
  readonly encryption: Encryption;
}

/** SDKs open a stream only if they can read this header. */
const streaming = { 'x-sse-support': 'enabled' };

function growthBookHandlers({ rulesets, streams, exposures, encryption }: GrowthBookDependencies): MountedRoute[] {
  const payloadOf = createPayloads(encryption);

  return implement(
    growthBookRoutes,
    {
      growthBookEvaluate: {
        plain({ caller, body, bodyBytes }) {
          const context = contextIn(body, caller, bodyBytes);
          const forced = forcedIn(body);
          return whenHeld(rulesets, caller, ({ compiled }) => ({
            status: 200,
            body: `{"status":200,"features":${remoteFeatures(viewFor(caller, compiled), context, forced)}}`,
            headers: { ...streaming, 'cache-control': 'no-store' },
          }));
        },
      },

      async growthBookFeatures(asked) {
        const { caller, reply } = asked;
        const { ruleset } = await encryptableRulesFor(rulesets, caller);
        reply.headers(streaming);
        return sendTagged(
          asked,
          rulesetTag(caller.environmentId, ruleset),
          async () => (await payloadOf(ruleset, caller)).text,
        );
      },

      async growthBookEvents({ caller, query: { seconds }, request, reply }) {
        const { environmentId, keyId, keyKind } = caller;
        const headers = allowedOrigin(caller, request.headers.origin) ?? {};
        const held = await heldSince(rulesets, environmentId, undefined);
        // A client key may not read rules: its clients evaluate again.
        const whole = async ({ ruleset }: HeldRuleset) =>
          keyKind === 'client' ? updated : eventOf(await payloadOf(ruleset, caller), request.headers['user-agent']);
        const stream = { environmentId, keyId, held, response: reply.raw, headers, seen: undefined, seconds };
        streams.open({ whole, followsTime: true }, stream);
        reply.hijack();
        return undefined;
      },

      growthBookTrack: (asked) => tracked({ rulesets, exposures }, asked),
    },
    sendGrowthBookFailure,
  );
}

async function tracked(
  { rulesets, exposures }: Pick<GrowthBookDependencies, 'rulesets' | 'exposures'>,
  { caller, body, request, reply }: Context<typeof growthBookRoutes.growthBookTrack>,
): Promise<undefined> {
  requireFewBytes(caller, request);
  const ruleset = await servedTo(rulesets, caller);
  const events = Array.isArray(body) ? body : [body];
  exposures.ignore(ignoredIn(events));
  const breath = createBreath();
  let counted = 0;
  for (const { answered, context } of reportedIn(events, ruleset)) {
    exposures.saw(caller, ruleset, answered, context, undefined);
    if (++counted % exposuresAtOnce === 0) await exposures.flush();
    await breath();
  }
  reply.code(204).send();
  return undefined;
}

/** The context of a body, within the limits of the key. Throws `INVALID_INPUT`. */
function contextIn(body: unknown, caller: SdkCaller, bytes: number): EvaluationContext {
  const limit = contextLimits[caller.keyKind];
  if (bytes > limit.bytes) throw fail('BODY_TOO_LARGE', { limit: limit.bytes });
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
  const { status, message } = failing(error, request, reply);
  return reply.send({ status, error: message });
}

export const growthBookFeature = {
  name: 'flags/growthbook',
  role: 'flags',
  routes: growthBookHandlers,
} satisfies Feature;

export { growthBookReasons } from './convert-rules.ts';
