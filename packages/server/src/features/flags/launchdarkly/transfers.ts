import type { Ruleset } from '@fanion/flag-engine';
import { eventFrame } from '../../../http/sse.ts';
import { runInSlices } from '../../../platform/breath.ts';
import type { HeldRuleset } from '../evaluation/index.ts';
import { launchDarklyChange } from './change-rules.ts';
import type { LaunchDarklyData } from './convert-rules.ts';
import { changeTransfer, fullTransfer, type TransferEvent, upToDate } from './transfer-rules.ts';

/** The second generation of LaunchDarkly's protocol (FDv2): what SDKs poll, and what they stream. */
export function createTransfers(dataOf: (ruleset: Ruleset) => Promise<LaunchDarklyData>) {
  const stateOf = (environmentId: string, { version }: Ruleset) => ({ state: `${environmentId}-${version}`, version });

  /** @param basis what the SDK has, as a former transfer named it */
  async function events(environmentId: string, ruleset: Ruleset, basis: string | undefined): Promise<TransferEvent[]> {
    const at = stateOf(environmentId, ruleset);
    return basis === at.state ? upToDate(at) : fullTransfer(await dataOf(ruleset), at);
  }

  const framesOf = (all: readonly TransferEvent[]) =>
    Buffer.concat(all.map(({ event, data }) => eventFrame(event, undefined, JSON.stringify(data))));

  return {
    /** A tag of its own for SDKs that have this version, since they get another answer. */
    hasBasis: (environmentId: string, ruleset: Ruleset, basis: string | undefined) =>
      basis === stateOf(environmentId, ruleset).state,

    async json(environmentId: string, ruleset: Ruleset, basis: string | undefined): Promise<string> {
      return JSON.stringify({ events: await events(environmentId, ruleset, basis) });
    },

    stream(environmentId: string, basis: string | undefined) {
      return {
        first: async ({ ruleset }: HeldRuleset) => framesOf(await events(environmentId, ruleset, basis)),
        whole: async ({ ruleset }: HeldRuleset) => framesOf(await events(environmentId, ruleset, undefined)),
        async change({ ruleset: from }: HeldRuleset, { ruleset: to }: HeldRuleset) {
          const [before, after] = await Promise.all([dataOf(from), dataOf(to)]);
          const change = await runInSlices(launchDarklyChange(before, after));
          return framesOf(changeTransfer(change, after, stateOf(environmentId, to)));
        },
      };
    },
  };
}
