import type { contrastSelections, RouteResponse } from '@fanion/contract';
import { formatPercent } from '../../ui/format/index.ts';

export type Why = RouteResponse<typeof contrastSelections>['why'];
export type Suspect = Why['suspects'][number];
type Running = Extract<NonNullable<Suspect['action']>, { kind: 'turn_off' }>['running'][number];

const reasons: Readonly<Record<Why['folded'][number]['because'], string>> = {
  defines: 'the condition names it',
  outcome: 'it describes how the operation ended',
  consequence: 'only selected traces have it',
  nearly_unique: 'too few traces share a value',
};

/** Fields that cannot be a cause, by the reason. */
export function foldedText(folded: Why['folded']): string[] {
  const present = [...new Set(folded.map(({ because }) => because))];
  return present.map((because) => {
    const names = folded.filter((one) => one.because === because).map(({ name }) => name);
    return `${names.join(', ')}: ${reasons[because]}`;
  });
}

/** The name of a cause. */
export function causeText(cause: Suspect['cause']): string {
  switch (cause.kind) {
    case 'attribute':
      return cause.values.map(({ field, value }) => `${field} = ${value}`).join(' and ');
    case 'flag':
      return `${cause.flag} = ${cause.variant}`;
    case 'deploy':
      return `${cause.service} ${cause.version}`;
    default:
      return cause.name;
  }
}

/** The rates behind a sentence, with the interval of their difference in points. */
export function ratesText({ rates, effect }: Pick<Suspect, 'rates' | 'effect'>): string {
  const points = (share: number) => Number((share * 100).toPrecision(2)).toString();
  return `${formatPercent(rates.exposed)} of its traces, ${formatPercent(rates.others)} of those it is compared with (95% interval of the difference: ${points(effect.low)} to ${points(effect.high)} points)`;
}

const kinds: Readonly<Record<Running['kind'], string>> = {
  experiment: 'the experiment',
  guarded_release: 'a guarded release',
  ramp: 'a ramp',
};

/** What runs on a flag, and would be disturbed by turning it off; null if nothing does. */
export function runningText(running: readonly Running[]): string | null {
  if (running.length === 0) return null;
  const names = running.map(
    ({ kind, name, environment }) => `${kinds[kind]}${kind === 'experiment' ? ` “${name}”` : ''} in ${environment}`,
  );
  return `Turning it off disturbs ${names.join(' and ')}.`;
}
