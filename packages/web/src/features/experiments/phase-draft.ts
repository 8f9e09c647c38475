import type { beginPhase, RouteBodyInput } from '@fanion/contract';
import { type ClauseDraft, toClauseBody, toClauseDraft } from '../flags/draft.ts';
import { percentText, remainder, TOTAL, type Weight } from '../flags/weights.ts';
import { isUnfinished } from './experiment-draft.ts';
import type { Experiment } from './queries.ts';

/** The next phase of an experiment while somebody edits it; weights and share out of 100000. */
export interface PhaseDraft {
  readonly variants: readonly Weight[];
  readonly share: number;
  readonly audience: readonly ClauseDraft[];
}

export function phaseOf({ variants, traffic, audience }: Experiment): PhaseDraft {
  return { variants, share: traffic.share, audience: audience.map(toClauseDraft) };
}

/** What keeps a phase from being begun; undefined: nothing. */
export function phaseProblem({ variants, share, audience }: PhaseDraft): string | undefined {
  const rest = remainder(variants.map((one) => ({ ...one })));
  if (rest !== 0) return `The weights are ${percentText(TOTAL - rest)}%; they must be 100% together`;
  if (variants.some(({ weight }) => weight === 0)) return 'Each variant keeps a weight above 0';
  if (share === 0) return 'Some units must take part';
  if (audience.some(isUnfinished)) return 'Fill in each condition, or remove it';
  return undefined;
}

export function phaseBody({ variants, share, audience }: PhaseDraft): RouteBodyInput<typeof beginPhase> {
  return { variants: variants.map((one) => ({ ...one })), share, audience: audience.map(toClauseBody) };
}

/** The experiment as it is in the phase. */
export function inPhase(experiment: Experiment, { variants, share, audience }: PhaseDraft): Experiment {
  return {
    ...experiment,
    variants: variants.map((one) => ({ ...one })),
    traffic: { ...experiment.traffic, share },
    audience: audience
      .map(toClauseBody)
      .map(({ negate = false, values = [], ...clause }) => ({ ...clause, negate, values })),
  };
}
