/**
 * LaunchDarkly's protocol for server-side SDKs: the ruleset in memory is converted to LaunchDarkly's form
 * (`convert-rules.ts`), once per version, and the SDK evaluates it. Streams are those of `../evaluation/streams.ts`.
 * Client-side and mobile SDKs get values (`value-rules.ts`), or a stream of them.
 *
 * SDKs report what they evaluated: events → `event-rules.ts` → the counts and exposures of `../exposures`.
 */

import { launchDarklyRoutes } from '@fanion/contract';
import type { Ruleset } from '@fanion/flag-engine';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { eventFrame } from '../../../http/sse.ts';
import type { Feature } from '../../feature.ts';
import {
  type HeldRuleset,
  heldSince,
  matchesTag,
  type Rulesets,
  requireServerKey,
  type Streams,
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
  const written = new WeakMap<Ruleset, { readonly text: string; readonly put: Buffer }>();
  function writtenOf(ruleset: Ruleset) {
    const known = written.get(ruleset);
    if (known !== undefined) return known;
    const text = JSON.stringify(launchDarklyData(ruleset));
    const made = { text, put: eventFrame('put', undefined, `{"path":"/","data":${text}}`) };
    written.set(ruleset, made);
    return made;
  }
  const put = ({ ruleset }: HeldRuleset) => writtenOf(ruleset).put;

  return implement(
    launchDarklyRoutes,
    {
      async launchDarklyLatestAll({ caller, request, reply }) {
        requireServerKey(caller);
        const { ruleset } = await heldSince(rulesets, caller.environmentId, undefined);
        const tag = `"${caller.environmentId}-${ruleset.version}"`;
        reply.header('etag', tag).header('cache-control', 'private, no-cache');
        if (matchesTag(request.headers['if-none-match'], tag)) reply.code(304).send();
        else reply.header('content-type', 'application/json; charset=utf-8').send(writtenOf(ruleset).text);
        return undefined;
      },

      async launchDarklyAll({ caller, query: { seconds }, reply }) {
        requireServerKey(caller);
        const { environmentId, keyId } = caller;
        const held = await heldSince(rulesets, environmentId, undefined);
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
