import { countOf, formatExact, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { holdText } from '../flags/ramp-plan.ts';
import { percentText } from '../flags/weights.ts';
import { differenceText } from './judging-words.ts';
import type { Backtest, GuardedRelease } from './queries.ts';

type BacktestedGuard = Backtest['guards'][number];

/** The one sentence about the false alarms of a backtest, and its tone. `alpha`: the share of them that the release allows. */
export function backtestAnswer(
  { note, releases, false_rollbacks: alarms, guards }: Backtest,
  alpha: number,
): { readonly kind: 'ok' | 'warning' | 'info'; readonly text: string } {
  if (note !== null) return { kind: 'info', text: note };
  if (releases === 0)
    return { kind: 'warning', text: 'The past has too few units for the guards, so no release could be judged.' };
  const silent = guards.filter((guard) => guard.releases === 0).map(({ name }) => name);
  const unjudged = silent.length === 0 ? '' : ` Not judged: ${silent.join(', ')}.`;
  const replayed = countOf(releases, 'replayed release');
  if (alarms === 0)
    return {
      kind: silent.length === 0 ? 'ok' : 'warning',
      text: `No false alarm in ${replayed}: nothing was different, and no guard acted.${unjudged}`,
    };
  const found = `A guard acted in ${formatExact(alarms)} of ${replayed}, although nothing was different.`;
  const allowed = formatPercent(alpha);
  return alarms / releases > alpha
    ? {
        kind: 'warning',
        text: `${found} That is more than the allowed ${allowed}: let the guards that act wait for more units, or tolerate more.${unjudged}`,
      }
    : { kind: silent.length === 0 ? 'info' : 'warning', text: `${found} The release allows ${allowed}.${unjudged}` };
}

/** A line for each guard and step. */
export function backtestRows({ guards }: Pick<Backtest, 'guards'>, release: Pick<GuardedRelease, 'steps' | 'guards'>) {
  return guards.flatMap((guard, i) =>
    guard.steps.map((step, s) => {
      const least = Math.max(release.steps[s]?.min_units ?? 0, release.guards[i]?.min_units ?? 0);
      return {
        key: `${i} ${s}`,
        // A guard is named once.
        name: s === 0 ? guard.name : '',
        alarms: s === 0 ? alarmsText(guard) : '',
        step: `${percentText(step.weight)}% for ${holdText(step.hold)}`,
        units: formatNumber(step.units_per_arm),
        visible: visibleText(guard, step, least),
        detects: timeText(guard, step.seconds_to_detect),
        clears: timeText(guard, step.seconds_to_clear),
      };
    }),
  );
}

function alarmsText({ error, releases, false_rollbacks: alarms }: BacktestedGuard): string {
  if (error !== null) return error;
  return releases === 0 ? 'too few units' : `${formatExact(alarms)} of ${formatExact(releases)}`;
}

/** How long a guard takes in a step for a verdict. */
function timeText({ error, baseline }: Pick<BacktestedGuard, 'error' | 'baseline'>, seconds: number | null): string {
  if (error !== null) return '–';
  if (seconds === null) return baseline === null ? 'not known' : 'never';
  return seconds === 0 ? 'at once' : `after ${hoursText(seconds)}`;
}

/** About how long, as people say it. */
function hoursText(seconds: number): string {
  const hours = seconds / 3_600;
  if (hours < 1) return countOf(Math.ceil(hours * 60), 'minute');
  return hours < 48 ? countOf(Math.ceil(hours), 'hour') : countOf(Math.ceil(hours / 24), 'day');
}

/** Which guards are not likely to be sure at the end of a step, and what happens then; undefined if all are. */
export function undecidedText(
  { guards }: Pick<Backtest, 'guards'>,
  { when_unsure: whenUnsure }: Pick<GuardedRelease, 'when_unsure'>,
): string | undefined {
  const undecided = guards.flatMap(({ name, steps }) =>
    steps.flatMap(({ clears_within_hold: isClear, hold, seconds_to_clear: seconds }, i) => {
      if (isClear !== false) return [];
      const needs = seconds === null ? 'at no time' : `about ${hoursText(seconds)}`;
      return [{ name, text: `step ${i + 1} (held for ${holdText(hold)}, needs ${needs})` }];
    }),
  );
  if (undecided.length === 0) return undefined;
  const names = [...new Set(undecided.map(({ name }) => name))];
  const told = names.map((name) => {
    const steps = undecided.filter((one) => one.name === name).map(({ text }) => text);
    return `${name} in ${steps.join(', ')}`;
  });
  return `At this traffic, not likely to be sure that there is no harm when the hold ends: ${told.join('; ')}. ${UNSURE[whenUnsure]}`;
}

const UNSURE = {
  hold: 'The release is held until they are.',
  advance: 'The release goes on all the same, as planned.',
  rollback: 'The release rolls back then, as planned.',
} as const;

/** The smallest harm that a guard sees by the end of a step. `least`: the units that it needs in each group. */
export function visibleText(
  { metric, baseline, error }: Pick<BacktestedGuard, 'metric' | 'baseline' | 'error'>,
  { units_per_arm: units, smallest_regression: harm }: BacktestedGuard['steps'][number],
  least: number,
): string {
  if (error !== null) return '–';
  if (harm !== null) {
    const text = differenceText({ key: metric, kind: '' }, Number(harm.toPrecision(3)));
    const part = baseline === null || baseline === 0 ? '' : ` (${formatPercent(harm / Math.abs(baseline))} of it)`;
    return `worse by ${text}${part}`;
  }
  if (units < least) return `nothing: it needs ${countOf(least, 'unit')} in each group`;
  return baseline === null ? 'not known: too few past units' : 'not known: the metric did not vary';
}
