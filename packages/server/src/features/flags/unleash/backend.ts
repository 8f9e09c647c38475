import type { Ruleset } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';
import { eventFrame } from '../../../http/sse.ts';
import { fail } from '../../../platform/fail.ts';
import type { Steps } from '../../../platform/steps.ts';
import {
  type HeldRuleset,
  maxEventBytes,
  perRuleset,
  type Rulesets,
  rulesetTag,
  rulesFor,
  type Streams,
  sendTagged,
} from '../evaluation/index.ts';
import { type UnleashPayload, unleashPayload } from './payload-rules.ts';

export interface Asked {
  readonly caller: SdkCaller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What is sent of one version, made once. All streams of an environment share its frames. */
interface Written {
  readonly payload: UnleashPayload;
  readonly features: string;
  /** Changes since nothing: all features. */
  readonly delta: string;
  readonly connected: Buffer;
  readonly updated: Buffer;
}

function* written(ruleset: Ruleset): Steps<Written> {
  const payload = yield* unleashPayload(ruleset);
  const { features, segments } = payload;
  const delta = JSON.stringify({ events: [{ type: 'hydration', eventId: ruleset.version, features, segments }] });
  const frame = (event: string) =>
    delta.length > maxEventBytes ? usePolling : eventFrame(event, ruleset.version, delta);
  return {
    payload,
    features: JSON.stringify(payload),
    delta,
    connected: frame('unleash-connected'),
    updated: frame('unleash-updated'),
  };
}

/** Instead of an event that is too large for streams: SDKs go on with requests, most of which are answered with 304. */
const usePolling = eventFrame('fetch-mode', undefined, 'polling');

/** Answers Unleash's backend SDKs, which evaluate in their own process. */
export function createBackend(rulesets: Rulesets, streams: Streams) {
  const writtenOf = perRuleset(written);
  const stream = {
    first: async ({ ruleset }: HeldRuleset) => (await writtenOf(ruleset)).connected,
    whole: async ({ ruleset }: HeldRuleset) => (await writtenOf(ruleset)).updated,
  };

  async function send(asked: Asked, form: 'features' | 'delta'): Promise<undefined> {
    const { ruleset } = await rulesFor(rulesets, asked.caller);
    return sendTagged(
      asked,
      rulesetTag(asked.caller.environmentId, ruleset),
      async () => (await writtenOf(ruleset))[form],
    );
  }

  return {
    features: (asked: Asked) => send(asked, 'features'),
    delta: (asked: Asked) => send(asked, 'delta'),

    async streaming({ caller, reply }: Asked, seconds: number | undefined): Promise<undefined> {
      const held = await rulesFor(rulesets, caller);
      const { environmentId, keyId } = caller;
      streams.open(stream, { environmentId, keyId, held, response: reply.raw, seen: undefined, seconds });
      reply.hijack();
      return undefined;
    },

    async feature({ caller, reply }: Asked, key: string): Promise<undefined> {
      const { payload } = await writtenOf((await rulesFor(rulesets, caller)).ruleset);
      const feature = payload.features.find(({ name }) => name === key);
      if (feature === undefined) throw fail('FLAG_NOT_FOUND', { key });
      reply.send(feature);
      return undefined;
    },
  };
}
