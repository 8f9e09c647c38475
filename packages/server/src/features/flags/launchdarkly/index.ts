/**
 * LaunchDarkly's protocol for server-side SDKs: the ruleset in memory is converted to LaunchDarkly's form
 * (`convert-rules.ts`), once per version, and the SDK evaluates it. Streams are those of `../evaluation/streams.ts`; after a change of one
 * item, they send only that (`change-rules.ts`).
 * Client-side and mobile SDKs get values (`value-rules.ts`), or a stream of them.
 *
 * SDKs report what they evaluated: events → `event-rules.ts` → the counts and exposures of `../exposures`.
 */

import { launchDarklyRoutes } from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SdkCaller } from '../../../http/caller.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { eventFrame } from '../../../http/sse.ts';
import { runInSlices } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import type { Steps } from '../../../platform/steps.ts';
import type { Feature } from '../../feature.ts';
import {
  type HeldRuleset,
  perRuleset,
  type Rulesets,
  rulesetTag,
  rulesFor,
  type Streams,
  sendTagged,
} from '../evaluation/index.ts';
import { perChange } from './change-frames.ts';
import { launchDarklyChange } from './change-rules.ts';
import { launchDarklyClientHandlers } from './clients.ts';
import { type LaunchDarklyData, launchDarklyData } from './convert-rules.ts';
import { type LaunchDarklyEventDependencies, launchDarklyEventHandlers } from './events.ts';
import { sendLaunchDarklyFailure } from './failure.ts';
import { createTransfers } from './transfers.ts';

export interface LaunchDarklyDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
}

interface Asked {
  readonly caller: SdkCaller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What is sent of one version, made once. */
interface Written {
  readonly data: LaunchDarklyData;
  readonly text: string;
  readonly put: Buffer;
}

function launchDarklyHandlers(parts: LaunchDarklyDependencies): MountedRoute[] {
  const { rulesets } = parts;
  // All streams of an environment share one frame.
  const writtenOf = perRuleset(function* (ruleset): Steps<Written> {
    const data = yield* launchDarklyData(ruleset);
    const text = JSON.stringify(data);
    return { data, text, put: eventFrame('put', undefined, `{"path":"/","data":${text}}`) };
  });
  const changeOf = perChange(async (from, to) => changeFrame(await writtenOf(from), await writtenOf(to)));
  const stream = {
    whole: async ({ ruleset }: HeldRuleset) => (await writtenOf(ruleset)).put,
    change: ({ ruleset: from }: HeldRuleset, { ruleset: to }: HeldRuleset) => changeOf(from, to),
  };

  const transfers = createTransfers(async (ruleset) => (await writtenOf(ruleset)).data);

  async function send(asked: Asked, json: (written: Written) => string): Promise<undefined> {
    const { ruleset } = await rulesFor(rulesets, asked.caller);
    const tag = rulesetTag(asked.caller.environmentId, ruleset);
    return sendTagged(asked, tag, async () => json(await writtenOf(ruleset)));
  }

  async function item(asked: Asked & { readonly params: { readonly key: string } }, kind: keyof LaunchDarklyData) {
    const { key } = asked.params;
    const { ruleset } = await rulesFor(rulesets, asked.caller);
    const items = (await writtenOf(ruleset)).data[kind];
    if (!Object.hasOwn(items, key)) throw fail(kind === 'flags' ? 'FLAG_NOT_FOUND' : 'SEGMENT_NOT_FOUND', { key });
    return sendTagged(asked, rulesetTag(asked.caller.environmentId, ruleset), () => JSON.stringify(items[key]));
  }

  return implement(
    launchDarklyRoutes,
    {
      launchDarklyLatestAll: (asked) => send(asked, ({ text }) => text),
      launchDarklyFlags: (asked) => send(asked, ({ data }) => JSON.stringify(data.flags)),
      launchDarklyFlag: (asked) => item(asked, 'flags'),
      launchDarklySegment: (asked) => item(asked, 'segments'),
      launchDarklyLatestFlag: (asked) => item(asked, 'flags'),
      launchDarklyLatestSegment: (asked) => item(asked, 'segments'),

      launchDarklyAll: (asked) => open(parts, asked, () => stream),

      async launchDarklyPoll(asked) {
        const { basis } = asked.query;
        const { environmentId } = asked.caller;
        const { ruleset } = await rulesFor(rulesets, asked.caller);
        const form = transfers.hasBasis(environmentId, ruleset, basis) ? 'none' : 'full';
        const tag = `"${environmentId}-${ruleset.version}-${form}"`;
        return sendTagged(asked, tag, () => transfers.json(environmentId, ruleset, basis));
      },

      launchDarklyStream: (asked) =>
        open(parts, asked, () => transfers.stream(asked.caller.environmentId, asked.query.basis)),
    },
    sendLaunchDarklyFailure,
  );
}

/** Opens a stream, whose kind is chosen once the environment has a ruleset. */
async function open(
  { rulesets, streams }: LaunchDarklyDependencies,
  { caller, query: { seconds }, reply }: Asked & { readonly query: { readonly seconds?: number | undefined } },
  kindOf: () => Parameters<Streams['open']>[0],
): Promise<undefined> {
  const { environmentId, keyId } = caller;
  const held = await rulesFor(rulesets, caller);
  streams.open(kindOf(), { environmentId, keyId, held, response: reply.raw, seen: undefined, seconds });
  reply.hijack();
  return undefined;
}

async function changeFrame(from: Written, to: Written): Promise<Buffer> {
  const { event, ...change } = await runInSlices(launchDarklyChange(from.data, to.data));
  if (event === 'none') return Buffer.alloc(0);
  return event === 'put' ? to.put : eventFrame(event, undefined, JSON.stringify(change));
}

export { launchDarklyReasons } from './convert-rules.ts';

export const launchDarklyFeature = {
  name: 'flags/launchdarkly',
  role: 'flags',
  routes: (parts: LaunchDarklyDependencies & LaunchDarklyEventDependencies) => [
    ...launchDarklyHandlers(parts),
    ...launchDarklyClientHandlers(parts),
    ...launchDarklyEventHandlers(parts),
  ],
} satisfies Feature;
