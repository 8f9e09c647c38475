import type { CauseAction, Suspect as ShownSuspect, Why as ShownWhy } from '@fanion/contract';
import type { z } from 'zod';
import type { Suspect, What, Why } from './answer.ts';
import { ownFields } from './name-rules.ts';
import type { FlagPlace, RunningRow } from './question.ts';
import { sentenceOf } from './sentence-rules.ts';

type Answer = z.output<typeof ShownWhy>;

/** Fewer selected traces are too few to tell a cause. */
export const leastSelected = 5;

export interface Compared {
  readonly selected: number;
  readonly others: number;
}

/** The answer of the engine as the API shows it. */
export function present(
  { onset, suspects, folded, verdict }: Why,
  compared: Compared,
  {
    noun,
    place,
    running,
    warnings,
  }: {
    readonly noun: string;
    readonly place: FlagPlace;
    readonly running: readonly RunningRow[];
    readonly warnings: readonly string[];
  },
): Answer {
  return {
    verdict,
    reason: null,
    onset: onset
      ? {
          time: isoOf(onset.atMs),
          from: isoOf(onset.fromMs),
          to: isoOf(onset.toMs),
          before: onset.before,
          after: onset.after,
        }
      : null,
    suspects: suspects.map((suspect) => presentSuspect(suspect, noun, place, running)),
    // A field with several values in one trace is judged value by value.
    folded: [...new Map(folded.map(({ name, because }) => [name, { name, because }])).values()],
    compared,
    warnings: [...warnings],
  };
}

/** The answer where nothing can be compared. */
export function unknown(reason: string, compared: Compared = { selected: 0, others: 0 }): Answer {
  return { verdict: 'unknown', reason, onset: null, suspects: [], folded: [], compared, warnings: [] };
}

/** Why there are too few traces to compare; undefined if there are enough. */
export function tooFew({ selected, others }: Compared): string | undefined {
  if (selected < leastSelected)
    return selected === 0
      ? 'No trace is selected.'
      : `Only ${selected} of the traces ${selected === 1 ? 'is' : 'are'} selected. A comparison needs at least ${leastSelected}.`;
  if (others === 0) return 'All traces are selected, so there are no others to compare them with.';
  return others < leastSelected
    ? `The traces are compared with only ${others} other${others === 1 ? '' : 's'}. A comparison needs at least ${leastSelected}.`
    : undefined;
}

function presentSuspect(
  suspect: Suspect,
  noun: string,
  place: FlagPlace,
  running: readonly RunningRow[],
): z.output<typeof ShownSuspect> {
  const { what, effect, rates, explains, change, standing, also } = suspect;
  const [low, high] = effect.interval;
  return {
    cause: causeOf(what),
    sentence: sentenceOf(suspect, noun),
    effect: { value: effect.value, low, high },
    rates,
    explains,
    change: change === undefined ? null : { time: isoOf(change.atMs), detail: detailOf(change) },
    standing,
    also: also.map(causeOf),
    action: actionOf(what, place, running),
  };
}

function detailOf(change: NonNullable<Suspect['change']>): string {
  return change.kind === 'flag' ? change.detail : change.version;
}

function causeOf(what: What): z.output<typeof ShownSuspect>['cause'] {
  switch (what.kind) {
    case 'attribute':
      return { kind: 'attribute', values: [...what.values] };
    case 'log_pattern':
    case 'error':
      return { kind: what.kind, name: what.name };
    default:
      return what;
  }
}

/** What somebody would do about a suspect first. */
function actionOf(
  what: What,
  { project, environment }: FlagPlace,
  running: readonly RunningRow[],
): z.output<typeof CauseAction> {
  switch (what.kind) {
    case 'flag': {
      const own = running.filter(({ flag }) => flag === what.flag);
      return {
        kind: 'turn_off',
        flag: what.flag,
        project: project?.key ?? null,
        environment: environment ?? null,
        running: own.map(({ kind, id, name, environment: where }) => ({ kind, id, name, environment: where })),
      };
    }
    case 'deploy':
      return { kind: 'open_deploy', service: what.service, version: what.version };
    case 'attribute':
      return { kind: 'show_rows', where: what.values.map(conditionOf).join(' and ') };
    case 'log_pattern':
      return { kind: 'show_logs', where: `shape in (${what.ids.join(', ')})` };
    case 'error':
      return { kind: 'open_error', error: what.ids[0] ?? '' };
    default:
      return what satisfies never;
  }
}

function conditionOf({ field, value }: { readonly field: string; readonly value: string }): string {
  const path = ownFields.has(field) || field.startsWith('resource.') ? pathOf(field) : `attr.${pathOf(field)}`;
  return ownFields.has(field) ? `${path} == ${JSON.stringify(value)}` : `string(${path}) == ${JSON.stringify(value)}`;
}

/** A path whose parts that are not names are quoted. */
function pathOf(field: string): string {
  return field
    .split('.')
    .map((part) => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(part) ? part : `\`${part.replaceAll('`', '')}\``))
    .join('.');
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
