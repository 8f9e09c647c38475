import type { Ruleset } from '@fanion/flag-engine';
import { eventFrame } from '../../../http/sse.ts';
import { runInSlices } from '../../../platform/breath.ts';
import type { HeldRuleset } from '../evaluation/index.ts';
import { perChange } from './change-frames.ts';
import { launchDarklyChange } from './change-rules.ts';
import type { LaunchDarklyData } from './convert-rules.ts';
import { changeTransfer, fullTransfer, jsonOf, type TransferEvent, upToDate } from './transfer-rules.ts';

/** The second generation of LaunchDarkly's protocol (FDv2): what SDKs poll, and what they stream. */
export function createTransfers(dataOf: (ruleset: Ruleset) => Promise<LaunchDarklyData>) {
  const stateOf = (environmentId: string, { version }: Ruleset) => ({ state: `${environmentId}-${version}`, version });

  /** Everything of a version, for all SDKs that have nothing of it. */
  const wholeOf = perChange(async (_, ruleset, environmentId: string) => {
    const events = fullTransfer(await dataOf(ruleset), stateOf(environmentId, ruleset));
    return { json: jsonOf(events), frames: framesOf(events) };
  });

  /** From a version to itself: all of it. */
  const framesFor = perChange(async (from, to, environmentId: string) => {
    if (from === to) return (await wholeOf(to, to, environmentId)).frames;
    const change = await runInSlices(launchDarklyChange(await dataOf(from), await dataOf(to)));
    return framesOf(changeTransfer(change, await dataOf(to), stateOf(environmentId, to)));
  });

  return {
    /** Whether the SDK has this version. It then gets a different answer, so that answer needs a different tag. */
    hasBasis: (environmentId: string, ruleset: Ruleset, basis: string | undefined) =>
      basis === stateOf(environmentId, ruleset).state,

    /** @param basis what the SDK has, as a former transfer named it */
    async json(environmentId: string, ruleset: Ruleset, basis: string | undefined): Promise<string> {
      const at = stateOf(environmentId, ruleset);
      if (basis === at.state) return jsonOf(upToDate(at));
      return (await wholeOf(ruleset, ruleset, environmentId)).json;
    },

    stream(environmentId: string, basis: string | undefined) {
      return {
        async first({ ruleset }: HeldRuleset) {
          const at = stateOf(environmentId, ruleset);
          return basis === at.state ? framesOf(upToDate(at)) : framesFor(ruleset, ruleset, environmentId);
        },
        whole: ({ ruleset }: HeldRuleset) => framesFor(ruleset, ruleset, environmentId),
        change: ({ ruleset: from }: HeldRuleset, { ruleset: to }: HeldRuleset) => framesFor(from, to, environmentId),
      };
    },
  };
}

export function framesOf(events: readonly TransferEvent[]): Buffer {
  return Buffer.concat(events.map(({ event, data }) => eventFrame(event, undefined, data)));
}
