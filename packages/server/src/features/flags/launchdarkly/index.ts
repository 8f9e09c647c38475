/**
 * LaunchDarkly's protocol for server-side SDKs: the ruleset in memory is converted to LaunchDarkly's form
 * (`convert-rules.ts`), once per version, and the SDK evaluates it. Streams are those of `../evaluation/streams.ts`.
 * Client-side and mobile SDKs get values (`value-rules.ts`), or a stream of them.
 *
 * SDKs report what they evaluated: events → `event-rules.ts` → the counts and exposures of `../exposures`.
 */

import { launchDarklyRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { eventFrame } from '../../../http/sse.ts';
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
import { launchDarklyClientHandlers } from './clients.ts';
import { launchDarklyData } from './convert-rules.ts';
import { type LaunchDarklyEventDependencies, launchDarklyEventHandlers } from './events.ts';
import { sendLaunchDarklyFailure } from './failure.ts';

export interface LaunchDarklyDependencies {
  readonly rulesets: Rulesets;
  readonly streams: Streams;
}

function launchDarklyHandlers({ rulesets, streams }: LaunchDarklyDependencies): MountedRoute[] {
  // All streams of an environment share one frame.
  const writtenOf = perRuleset(function* (ruleset) {
    const text = JSON.stringify(yield* launchDarklyData(ruleset));
    return { text, put: eventFrame('put', undefined, `{"path":"/","data":${text}}`) };
  });
  const put = async ({ ruleset }: HeldRuleset) => (await writtenOf(ruleset)).put;

  return implement(
    launchDarklyRoutes,
    {
      async launchDarklyLatestAll(asked) {
        const { ruleset } = await rulesFor(rulesets, asked.caller);
        return sendTagged(
          asked,
          rulesetTag(asked.caller.environmentId, ruleset),
          async () => (await writtenOf(ruleset)).text,
        );
      },

      async launchDarklyAll({ caller, query: { seconds }, reply }) {
        const { environmentId, keyId } = caller;
        const held = await rulesFor(rulesets, caller);
        streams.open({ whole: put }, { environmentId, keyId, held, response: reply.raw, seen: undefined, seconds });
        reply.hijack();
        return undefined;
      },
    },
    sendLaunchDarklyFailure,
  );
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
