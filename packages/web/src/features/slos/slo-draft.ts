import type { CallOptions, createSlo, QueryLanguage, RouteBodyInput } from '@fanion/contract';
import type { SloSearch } from '../../alerting/slo-search.ts';
import { languageOf } from '../../telemetry/query-language.ts';
import type { Indicator, Slo, SloWindow } from './queries.ts';

type Body = CallOptions<typeof createSlo>['body'];
type Slice = Extract<Indicator, { kind: 'slices' }>['slice'];
type Operator = Extract<Indicator, { kind: 'slices' }>['op'];

export const SLICES: readonly Slice[] = ['1m', '5m', '10m', '15m', '30m', '1h'];
export const OPERATORS: readonly Operator[] = ['<', '<=', '>', '>=', '==', '!='];
export const WINDOWS = {
  '7d': 'Last 7 days',
  '28d': 'Last 28 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  week: 'Calendar week',
  month: 'Calendar month',
  quarter: 'Calendar quarter',
} as const;
export type WindowChoice = keyof typeof WINDOWS;

/** Objectives in percent that the slider offers. */
export const OBJECTIVES: readonly number[] = [90, 95, 97, 98, 99, 99.5, 99.9, 99.95, 99.99, 99.995, 99.999];

/** An SLO while somebody edits it: every field as the text of its input. */
export interface SloDraft {
  readonly name: string;
  readonly description: string;
  readonly kind: Indicator['kind'];
  /** Of a ratio or slices: events are always in OQL. */
  readonly language: QueryLanguage;
  /** Of events: the rows, and the condition of good ones. */
  readonly source: string;
  readonly condition: string;
  /** Of a ratio. */
  readonly good: string;
  readonly total: string;
  /** Of slices. */
  readonly query: string;
  readonly op: Operator;
  readonly threshold: string;
  readonly slice: Slice;
  /** In percent. */
  readonly objective: string;
  readonly window: WindowChoice;
  readonly time_zone: string;
  readonly burn_alerts: boolean;
  readonly min_events: string;
}

export const emptyDraft: SloDraft = {
  name: '',
  description: '',
  kind: 'events',
  language: 'oql',
  source: '',
  condition: '',
  good: '',
  total: '',
  query: '',
  op: '<',
  threshold: '',
  slice: '5m',
  objective: '99.9',
  window: '30d',
  time_zone: 'UTC',
  burn_alerts: true,
  min_events: '10',
};

/** A draft of what was seen elsewhere: `total` makes it a ratio, `query` slices of time. Events are always in OQL. */
export function draftFrom({ name = '', source = '', good = '', total = '', query = '', lang }: SloSearch): SloDraft {
  const language = languageOf(lang);
  if (total !== '') return { ...emptyDraft, name, kind: 'ratio', language, good, total };
  if (query !== '') return { ...emptyDraft, name, kind: 'slices', language, query };
  return { ...emptyDraft, name, source, condition: good };
}

export function draftOf({ indicator, window, ...slo }: Slo): SloDraft {
  const { kind, ...of } = indicator;
  const { good, query_language, ...parts } = { good: '', query_language: 'oql' as const, ...of };
  return {
    ...emptyDraft,
    name: slo.name,
    description: slo.description,
    kind,
    language: query_language,
    ...parts,
    ...(kind === 'events' ? { condition: good } : { good }),
    threshold: indicator.kind === 'slices' ? String(indicator.threshold) : '',
    objective: String(Number((slo.objective * 100).toPrecision(12))),
    ...(window.kind === 'rolling' ? { window: window.period } : { window: window.unit, time_zone: window.time_zone }),
    burn_alerts: slo.burn_alerts,
    min_events: String(slo.min_events),
  };
}

/** The share of an objective's text; undefined if it is not more than 0 and less than 100. */
export function objectiveOf({ objective }: Pick<SloDraft, 'objective'>): number | undefined {
  const share = Number((Number(objective) / 100).toPrecision(12));
  return objective.trim() !== '' && share > 0 && share < 1 ? share : undefined;
}

export function windowOf({ window, time_zone }: Pick<SloDraft, 'window' | 'time_zone'>): SloWindow {
  switch (window) {
    case 'week':
    case 'month':
    case 'quarter':
      return { kind: 'calendar', unit: window, time_zone: time_zone.trim() };
    default:
      return { kind: 'rolling', period: window };
  }
}

/** The indicator; undefined while parts of it are missing. */
export function indicatorOf(draft: SloDraft): Indicator | undefined {
  if (Object.keys(missingParts(draft)).length > 0) return undefined;
  const text = (key: 'source' | 'condition' | 'good' | 'total' | 'query') => draft[key].trim();
  const language = draft.language === 'promql' && { query_language: draft.language };
  switch (draft.kind) {
    case 'events':
      return { kind: 'events', source: text('source'), good: text('condition') };
    case 'ratio':
      return { kind: 'ratio', ...language, good: text('good'), total: text('total') };
    case 'slices': {
      const { op, slice } = draft;
      return { kind: 'slices', ...language, query: text('query'), op, threshold: Number(draft.threshold), slice };
    }
  }
}

/** What is missing of the indicator, by field; empty if nothing is. */
export function missingParts(draft: SloDraft): Partial<Record<keyof SloDraft, string>> {
  const needed = {
    events: { source: 'Write the query whose rows are the events', condition: 'Write the condition of good events' },
    ratio: { good: 'Write the query that counts good events', total: 'Write the query that counts all events' },
    slices: { query: 'Write the query whose value is judged' },
  }[draft.kind];
  const missing: Partial<Record<keyof SloDraft, string>> = {};
  for (const [key, message] of Object.entries(needed) as [keyof SloDraft, string][])
    if (String(draft[key]).trim() === '') missing[key] = message;
  if (draft.kind === 'slices' && (draft.threshold.trim() === '' || !Number.isFinite(Number(draft.threshold))))
    missing.threshold = 'Enter a number';
  return missing;
}

/** What keeps a draft from being saved, by field. */
export function problemsOf(draft: SloDraft): Partial<Record<keyof SloDraft, string>> {
  const events = Number(draft.min_events);
  return {
    ...missingParts(draft),
    ...(draft.name.trim() === '' && { name: 'Name the SLO' }),
    ...(objectiveOf(draft) === undefined && { objective: 'Enter more than 0 and less than 100' }),
    ...((!Number.isInteger(events) || events < 1) && { min_events: 'Enter a whole number from 1' }),
  };
}

/** The fields that creating and replacing an SLO share; undefined while something is missing. */
export function bodyOf(draft: SloDraft): Omit<RouteBodyInput<typeof createSlo>, 'project' | 'environment'> | undefined {
  const indicator = indicatorOf(draft);
  const objective = objectiveOf(draft);
  if (indicator === undefined || objective === undefined) return undefined;
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    indicator,
    objective,
    window: windowOf(draft),
    burn_alerts: draft.burn_alerts,
    min_events: Number(draft.min_events),
  } satisfies Omit<Body, 'project'>;
}

/** The place on the slider that is nearest to an objective in percent. */
export function sliderPlace(objective: string): number {
  const percent = Number(objective);
  const distance = (at: number) => Math.abs((OBJECTIVES[at] ?? 0) - percent);
  return OBJECTIVES.reduce((nearest, _, at) => (distance(at) < distance(nearest) ? at : nearest), 0);
}
