import type { Answers, Evaluator } from '../flags/evaluator.ts';
import { createRandom, type Random } from '../random.ts';
import { trafficShare } from '../simulation/conditions.ts';
import { endOf, type Operation } from '../simulation/operation.ts';
import { simulate } from '../simulation/simulate.ts';
import { flagsOf, planVisit, type Visit } from '../simulation/visit.ts';

/** Traffic is drawn second by second, each from (seed, second), so that history and live traffic are one sequence. */
export const SLOT_MS = 1000;

/** A planned visit, with the random source for its simulation and its ids. */
export interface PlannedVisit {
  visit: Visit;
  random: Random;
}

/** A played visit: its traces and its flag evaluations. */
export interface PlayedVisit {
  roots: Operation[];
  answers: Answers;
  random: Random;
  /** Its end, in milliseconds since the epoch. */
  end: number;
}

/** The visits that begin in the second at `slot`; `peakRate` is visits per second at the busiest time of the week. */
export function visitsIn(slot: number, options: { seed: number; peakRate: number }): PlannedVisit[] {
  const arrivals = createRandom(options.seed, slot);
  const count = arrivals.poisson((options.peakRate * trafficShare(slot) * SLOT_MS) / 1000);
  const times = Array.from({ length: count }, () => slot + arrivals.next() * SLOT_MS).sort((a, b) => a - b);
  return times.map((at, index) => {
    const random = createRandom(options.seed, slot, index);
    return { visit: planVisit(at, random), random };
  });
}

/** Evaluates the flags of the visit, and plays it with their values. `isOpen`: it happens now. */
async function play({ visit, random }: PlannedVisit, evaluator: Evaluator, isOpen: boolean): Promise<PlayedVisit> {
  const answers = await evaluator.evaluate(visit.visitor, flagsOf(visit.scenario, isOpen));
  const roots = simulate(visit, answers.values, random);
  return { roots, answers, random, end: Math.max(...roots.map(endOf)) };
}

const EVALUATIONS_AT_ONCE = 8;

/** Plays many visits, a few at a time; the result keeps their order. */
export async function playAll(
  planned: readonly PlannedVisit[],
  evaluator: Evaluator,
  { isOpen }: { isOpen: boolean },
): Promise<PlayedVisit[]> {
  const played: PlayedVisit[] = [];
  for (let i = 0; i < planned.length; i += EVALUATIONS_AT_ONCE) {
    const some = planned.slice(i, i + EVALUATIONS_AT_ONCE);
    played.push(...(await Promise.all(some.map((each) => play(each, evaluator, isOpen)))));
  }
  return played;
}
