import type { createMetric, RouteBodyInput } from '@fanion/contract';
import { keyFromName } from '../../app/key-from-name.ts';
import type { Metric } from './queries.ts';

type Body = RouteBodyInput<typeof createMetric>;
export type Kind = Metric['kind'];

/** A metric while somebody edits it: every field as the text of its input. */
export interface MetricDraft {
  readonly name: string;
  readonly key: string;
  readonly description: string;
  readonly kind: Kind;
  readonly source: string;
  readonly value: string;
  readonly denominator: string;
  /** In percent. */
  readonly quantile: string;
  readonly steps: readonly StepDraft[];
  readonly comes_back_from: string;
  readonly comes_back_to: string;
  readonly unit: string;
  /** Empty: no limit. */
  readonly window: string;
  readonly direction: Metric['direction'];
  /** In percent; empty: none. */
  readonly cap: string;
  readonly guardrail: boolean;
}
export interface StepDraft {
  readonly uid: string;
  readonly condition: string;
}
export type Problems = Partial<Record<keyof MetricDraft, string>>;

/** Which fields a kind has beside the source. */
export const FIELDS: Readonly<
  Record<Kind, readonly ('value' | 'denominator' | 'quantile' | 'steps' | 'retention' | 'cap')[]>
> = {
  conversion: [],
  count: ['cap'],
  mean: ['value', 'cap'],
  sum: ['value', 'cap'],
  ratio: ['value', 'denominator', 'cap'],
  quantile: ['value', 'quantile'],
  retention: ['retention'],
  funnel: ['steps'],
};

export const emptyDraft: MetricDraft = {
  name: '',
  key: '',
  description: '',
  kind: 'conversion',
  source: '',
  value: '',
  denominator: '',
  quantile: '95',
  steps: [
    { uid: 'first', condition: '' },
    { uid: 'second', condition: '' },
  ],
  comes_back_from: '1d',
  comes_back_to: '7d',
  unit: 'trace_id',
  window: '',
  direction: 'up_is_good',
  cap: '',
  guardrail: false,
};

export function draftOf(metric: Metric): MetricDraft {
  const { name, key, description, kind, source, unit, direction, guardrail, quantile, cap, steps, retention } = metric;
  return {
    ...emptyDraft,
    ...{ name, key, description, kind, source, unit, direction, guardrail },
    value: metric.value ?? '',
    // Built-in ratios count rows below the line.
    denominator: metric.denominator ?? (metric.kind === 'ratio' ? '1' : ''),
    window: metric.window ?? '',
    cap: cap === null ? '' : percentOf(cap),
    ...(quantile !== null && { quantile: percentOf(quantile) }),
    ...(steps !== null && { steps: steps.map((condition, i) => ({ uid: String(i), condition })) }),
    ...(retention !== null && { comes_back_from: retention.from, comes_back_to: retention.to }),
  };
}

/** A new metric that begins as a copy of another, such as a built-in one. */
export function copyOf(metric: Metric): MetricDraft {
  return { ...draftOf(metric), name: `${metric.name} (copy)`, key: '' };
}

function percentOf(share: number): string {
  return String(Number((share * 100).toPrecision(12)));
}

function shareOf(percent: string): number {
  return percent.trim() === '' ? Number.NaN : Number((Number(percent) / 100).toPrecision(12));
}

const DURATION = /^[1-9]\d{0,5}[smhdw]$/;
const DURATION_HELP = 'Enter a duration such as 30m, 12h or 7d';

/** What keeps a definition from being measured, by field. */
export function missingParts(draft: MetricDraft): Problems {
  const has = (field: (typeof FIELDS)[Kind][number]) => FIELDS[draft.kind].includes(field);
  const quantile = shareOf(draft.quantile);
  const cap = shareOf(draft.cap);
  return {
    ...(draft.source.trim() === '' && { source: 'Write the query whose rows are the events' }),
    ...(draft.unit.trim() === '' && { unit: 'Name the attribute with the id of the unit, or trace_id' }),
    ...(has('value') && draft.value.trim() === '' && { value: 'Write the number of a row, such as duration' }),
    ...(has('quantile') && !(quantile > 0 && quantile < 1) && { quantile: 'Enter more than 0 and less than 100' }),
    ...(has('steps') &&
      (draft.steps.length < 2 || draft.steps.some(({ condition }) => condition.trim() === '')) && {
        steps: 'Write at least two steps, each with a condition',
      }),
    ...(has('retention') && !DURATION.test(draft.comes_back_from.trim()) && { comes_back_from: DURATION_HELP }),
    ...(has('retention') && !DURATION.test(draft.comes_back_to.trim()) && { comes_back_to: DURATION_HELP }),
    ...(draft.window.trim() !== '' && !DURATION.test(draft.window.trim()) && { window: DURATION_HELP }),
    ...(has('cap') &&
      draft.cap.trim() !== '' &&
      !(cap > 0.5 && cap < 1) && { cap: 'Enter more than 50 and less than 100, such as 99' }),
  };
}

/** What keeps a draft from being saved, by field. */
export function problemsOf(draft: MetricDraft): Problems {
  return { ...missingParts(draft), ...(keyOf(draft) === '' && { name: 'Name the metric' }) };
}

function keyOf({ key, name }: MetricDraft): string {
  return key.trim() || keyFromName(name);
}

/** What the metric measures: only the fields that its kind has. */
export function bodyOf(draft: MetricDraft): Body {
  const has = (field: (typeof FIELDS)[Kind][number]) => FIELDS[draft.kind].includes(field);
  const text = (key: 'name' | 'description' | 'source' | 'value' | 'denominator' | 'unit' | 'window') =>
    draft[key].trim();
  const key = keyOf(draft);
  return {
    key,
    name: text('name') || key,
    description: text('description'),
    kind: draft.kind,
    source: text('source'),
    unit: text('unit'),
    window: text('window') || null,
    direction: draft.direction,
    guardrail: draft.guardrail,
    ...(has('value') && { value: text('value') }),
    ...(has('denominator') && text('denominator') !== '' && { denominator: text('denominator') }),
    ...(has('quantile') && { quantile: shareOf(draft.quantile) }),
    ...(has('steps') && { steps: draft.steps.map(({ condition }) => condition.trim()) }),
    ...(has('retention') && {
      retention: { from: draft.comes_back_from.trim(), to: draft.comes_back_to.trim() },
    }),
    ...(has('cap') && draft.cap.trim() !== '' && { cap: shareOf(draft.cap) }),
  };
}

/** The body for an explanation; undefined while parts are missing. It needs no name yet. */
export function explainable(draft: MetricDraft): Body | undefined {
  if (Object.keys(missingParts(draft)).length > 0) return undefined;
  return { ...bodyOf(draft), key: 'draft', name: 'Draft', description: '' };
}
