import type { createExperiment, RouteBodyInput } from '@fanion/contract';
import { keyFromName } from '../../app/key-from-name.ts';
import { type ClauseDraft, toClauseBody, toClauseDraft } from '../flags/draft.ts';
import { parsePercent, percentText, remainder, TOTAL } from '../flags/weights.ts';
import type { Experiment } from './queries.ts';

type Body = RouteBodyInput<typeof createExperiment>;

/** An experiment while somebody edits it: numbers as the text of their inputs, weights out of 100000. */
export interface ExperimentDraft {
  readonly name: string;
  readonly key: string;
  readonly hypothesis: string;
  readonly flag: string;
  readonly environment: string;
  readonly control: string;
  readonly variants: readonly { readonly variant: string; readonly weight: number }[];
  readonly bucket_by: string;
  /** Percent of the units that take part. */
  readonly share: string;
  readonly layer: string;
  /** Percent: where its slice of the layer begins. */
  readonly start: string;
  readonly goals: readonly string[];
  readonly secondary: readonly string[];
  readonly guardrails: readonly string[];
  readonly engine: Experiment['analysis']['engine'];
  readonly sequential: boolean;
  /** Percent: 5 gives intervals of 95 %. */
  readonly alpha: string;
  readonly cuped: boolean;
  readonly cuped_days: string;
  readonly correction: Experiment['analysis']['correction'];
  /** Percent. */
  readonly minimal_effect: string;
  /** What the form does not show. */
  readonly prior: Experiment['analysis']['prior'];
  /** Who takes part; empty: everybody. */
  readonly audience: readonly ClauseDraft[];
}
export type Problems = Partial<Record<keyof ExperimentDraft, string>>;

export const emptyDraft: ExperimentDraft = {
  name: '',
  key: '',
  hypothesis: '',
  flag: '',
  environment: '',
  control: '',
  variants: [],
  bucket_by: '',
  share: '100',
  layer: '',
  start: '0',
  goals: [],
  secondary: [],
  guardrails: [],
  engine: 'frequentist',
  sequential: true,
  alpha: '5',
  cuped: false,
  cuped_days: '14',
  correction: 'holm',
  minimal_effect: '5',
  prior: null,
  audience: [],
};

export function draftOf(experiment: Experiment): ExperimentDraft {
  const { name, key, hypothesis, flag, environment, control, variants, bucket_by, traffic, metrics, analysis } =
    experiment;
  return {
    ...{ name, key, hypothesis, flag, environment, control, variants },
    bucket_by: bucket_by ?? '',
    share: percentText(traffic.share),
    layer: experiment.layer ?? '',
    audience: experiment.audience.map(toClauseDraft),
    start: percentText(traffic.start),
    ...metrics,
    ...analysis,
    alpha: percentOf(analysis.alpha),
    cuped_days: String(analysis.cuped_days),
    minimal_effect: percentOf(analysis.minimal_effect),
  };
}

function percentOf(share: number): string {
  return String(Number((share * 100).toPrecision(12)));
}

/** A share of a text in percent; undefined if it is no number above 0. */
export function shareOf(percent: string): number | undefined {
  const share = Number((Number(percent) / 100).toPrecision(12));
  return percent.trim() !== '' && share > 0 ? share : undefined;
}

/** The draft with the variants of a flag: the first two, evenly, the off variant as control. */
export function withFlag(
  draft: ExperimentDraft,
  flag: {
    readonly key: string;
    readonly variants: readonly { readonly key: string }[];
    readonly off_variant: string | null;
  },
): ExperimentDraft {
  const names = flag.variants.map(({ key }) => key);
  const control = names.find((name) => name === flag.off_variant) ?? names[0] ?? '';
  const others = names.filter((name) => name !== control);
  const taken = [control, ...others].slice(0, 10);
  const even = Math.floor(TOTAL / taken.length);
  return {
    ...draft,
    flag: flag.key,
    control,
    variants: taken.map((variant, i) => ({ variant, weight: i === 0 ? TOTAL - even * (taken.length - 1) : even })),
  };
}

/** What keeps a draft from being saved, by field. */
export function problemsOf(draft: ExperimentDraft): Problems {
  const { variants, share, start, cuped_days: days } = draft;
  const taken = variants.filter(({ weight }) => weight > 0);
  const rest = remainder(variants.map((one) => ({ ...one })));
  const alpha = shareOf(draft.alpha);
  const part = parsePercent(share);
  const begin = parsePercent(start);
  return {
    ...(keyOf(draft) === '' && { name: 'Name the experiment' }),
    ...(draft.flag === '' && { flag: 'Choose the flag whose variants are compared' }),
    ...(draft.environment === '' && { environment: 'Choose the environment in which it runs' }),
    ...(draft.flag !== '' &&
      (taken.length < 2
        ? { variants: 'At least two variants need a weight' }
        : rest !== 0 && { variants: `The weights are ${percentText(TOTAL - rest)}%; they must be 100% together` })),
    ...(draft.flag !== '' &&
      !taken.some(({ variant }) => variant === draft.control) && {
        control: 'The control must be one of the variants with a weight',
      }),
    ...((part === null || part === 0) && { share: 'Enter more than 0 and at most 100' }),
    ...(draft.audience.some(isUnfinished) && {
      audience: 'Fill in each condition, or remove it',
    }),
    ...((begin === null || begin + (part ?? 0) > TOTAL) && { start: 'The slice ends beyond 100%' }),
    ...((alpha === undefined || alpha > 0.5) && { alpha: 'Enter more than 0 and at most 50' }),
    ...(shareOf(draft.minimal_effect) === undefined && { minimal_effect: 'Enter more than 0' }),
    ...(draft.cuped && !/^([1-9]|[1-5]\d|60)$/.test(days.trim()) && { cuped_days: 'Enter 1 to 60 days' }),
    ...(draft.goals.length === 0 && { goals: 'Choose at least one metric that decides' }),
    ...(sharesOne(draft) && { secondary: 'A metric can have only one role' }),
  };
}

/** Whether a condition lacks what it compares. */
export function isUnfinished({ op, attribute, values }: ClauseDraft): boolean {
  if (op === 'exists') return attribute.trim() === '';
  return values.length === 0 || (op !== 'in_segment' && attribute.trim() === '');
}

function sharesOne({ goals, secondary, guardrails }: ExperimentDraft): boolean {
  const all = [...goals, ...secondary, ...guardrails];
  return new Set(all).size < all.length;
}

function keyOf({ key, name }: Pick<ExperimentDraft, 'key' | 'name'>): string {
  return key.trim() || keyFromName(name);
}

export function bodyOf(draft: ExperimentDraft): Body {
  const { hypothesis, flag, environment, control, goals, secondary, guardrails, prior } = draft;
  const key = keyOf(draft);
  return {
    key,
    name: draft.name.trim() || key,
    hypothesis: hypothesis.trim(),
    ...{ flag, environment, control },
    variants: draft.variants.filter(({ weight }) => weight > 0),
    bucket_by: draft.bucket_by.trim() || null,
    layer: draft.layer.trim() || null,
    audience: draft.audience.map(toClauseBody),
    traffic: {
      share: parsePercent(draft.share) ?? TOTAL,
      start: draft.layer.trim() === '' ? 0 : (parsePercent(draft.start) ?? 0),
    },
    metrics: { goals: [...goals], secondary: [...secondary], guardrails: [...guardrails] },
    analysis: {
      engine: draft.engine,
      alpha: shareOf(draft.alpha) ?? 0.05,
      sequential: draft.sequential,
      cuped: draft.cuped,
      cuped_days: Number(draft.cuped_days) || 14,
      correction: draft.correction,
      minimal_effect: shareOf(draft.minimal_effect) ?? 0.05,
      prior,
    },
  };
}
