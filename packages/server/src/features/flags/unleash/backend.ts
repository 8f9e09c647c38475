import type { Ruleset } from '@fanion/flag-engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';
import { fail } from '../../../platform/fail.ts';
import { heldSince, matchesTag, type Rulesets, requireServerKey } from '../evaluation/index.ts';
import { type UnleashPayload, unleashPayload } from './payload-rules.ts';

export interface Asked {
  readonly caller: SdkCaller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Written {
  readonly payload: UnleashPayload;
  readonly text: string;
}

/** Answers Unleash's backend SDKs, which evaluate in their own process. */
export function createBackend(rulesets: Rulesets) {
  const written = new WeakMap<Ruleset, Written>();
  function writtenOf(ruleset: Ruleset): Written {
    const known = written.get(ruleset);
    if (known !== undefined) return known;
    const payload = unleashPayload(ruleset);
    const made = { payload, text: JSON.stringify(payload) };
    written.set(ruleset, made);
    return made;
  }

  async function heldBy(caller: SdkCaller): Promise<Ruleset> {
    requireServerKey(caller);
    return (await heldSince(rulesets, caller.environmentId, undefined)).ruleset;
  }

  return {
    async features({ caller, request, reply }: Asked): Promise<undefined> {
      const ruleset = await heldBy(caller);
      const tag = `"${caller.environmentId}-${ruleset.version}"`;
      reply.header('etag', tag).header('cache-control', 'private, no-cache');
      if (matchesTag(request.headers['if-none-match'], tag)) reply.code(304).send();
      else reply.type('application/json; charset=utf-8').send(writtenOf(ruleset).text);
      return undefined;
    },

    async feature({ caller, reply }: Asked, key: string): Promise<undefined> {
      const { payload } = writtenOf(await heldBy(caller));
      const feature = payload.features.find(({ name }) => name === key);
      if (feature === undefined) throw fail('FLAG_NOT_FOUND', { key });
      reply.send(feature);
      return undefined;
    },
  };
}
