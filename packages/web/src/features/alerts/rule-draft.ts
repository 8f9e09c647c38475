import type { CallOptions, createAlertRule, QueryLanguage, updateAlertRule } from '@fanion/contract';
import { parse } from '@fanion/oql/syntax';
import type { AlertRule } from './queries.ts';

type Body = CallOptions<typeof createAlertRule>['body'];
type Patch = CallOptions<typeof updateAlertRule>['body'];

/** A rule while somebody edits it: every field as the text of its input. */
export interface RuleDraft {
  readonly name: string;
  readonly query: string;
  readonly language: QueryLanguage;
  /** A rule of an SLO is changed with the SLO. */
  readonly kind: Exclude<AlertRule['kind'], 'slo_burn'>;
  /** `any`: each series that an expression in PromQL returns is an alert. */
  readonly op: NonNullable<AlertRule['condition']['op']> | 'any';
  readonly threshold: string;
  readonly for: string;
  readonly keep_firing_for: string;
  readonly ago: string;
  readonly as: 'difference' | 'ratio';
  readonly every: string;
  /** Empty: automatic. */
  readonly offset: string;
  /** Empty: as long as `every`, and at least a minute. */
  readonly window: string;
  /** A line per label: `team=checkout`. */
  readonly labels: string;
  readonly summary: string;
  readonly description: string;
  readonly runbook_url: string;
  readonly no_data: AlertRule['no_data'];
  readonly missing_series: AlertRule['missing_series'];
  readonly on_error: AlertRule['on_error'];
}

export const emptyDraft: RuleDraft = {
  name: '',
  query: '',
  language: 'oql',
  kind: 'threshold',
  op: '>',
  threshold: '',
  for: '0s',
  keep_firing_for: '0s',
  ago: '1d',
  as: 'ratio',
  every: '1m',
  offset: '',
  window: '',
  labels: '',
  summary: '',
  description: '',
  runbook_url: '',
  no_data: 'ok',
  missing_series: 'resolve',
  on_error: 'keep',
};

export function draftOf(rule: AlertRule): RuleDraft {
  const { summary = '', description = '' } = rule.annotations;
  return {
    ...emptyDraft,
    name: rule.name,
    query: rule.query,
    language: rule.query_language,
    kind: rule.kind === 'slo_burn' ? 'threshold' : rule.kind,
    op: rule.condition.op ?? 'any',
    threshold: rule.condition.threshold === undefined ? '' : String(rule.condition.threshold),
    for: rule.condition.for,
    keep_firing_for: rule.condition.keep_firing_for,
    ...(rule.change !== null && { ago: rule.change.ago, as: rule.change.as }),
    every: rule.every,
    offset: rule.offset ?? '',
    window: rule.window,
    labels: Object.entries(rule.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
    summary,
    description,
    runbook_url: rule.runbook_url ?? '',
    no_data: rule.no_data,
    missing_series: rule.missing_series,
    on_error: rule.on_error,
  };
}

/** What is missing before a rule can be tried or saved, by field; empty if nothing is. */
export function missingParts(draft: RuleDraft): Partial<Record<keyof RuleDraft, string>> {
  const problems: Partial<Record<keyof RuleDraft, string>> = {};
  if (draft.query.trim() === '') problems.query = 'Write the query whose value the rule watches';
  if (compares(draft) && (draft.threshold.trim() === '' || !Number.isFinite(Number(draft.threshold))))
    problems.threshold = 'Enter a number';
  if (labelsOf(draft.labels) === undefined) problems.labels = 'Write one name=value per line';
  return problems;
}

/** Whether the rule compares a value. Without an operator, the expression does. */
export function compares({ kind, op }: Pick<RuleDraft, 'kind' | 'op'>): boolean {
  return kind !== 'absence' && op !== 'any';
}

/** The draft in another language. PromQL compares in the expression, as people have it in their rules. */
export function inLanguage(draft: RuleDraft, language: QueryLanguage): Partial<RuleDraft> {
  if (language === 'oql') return { language, op: draft.op === 'any' ? '>' : draft.op };
  const isPlain = draft.kind === 'threshold' && draft.threshold.trim() === '';
  return { language, window: '', ...(isPlain && { op: 'any', no_data: 'ok', missing_series: 'resolve' }) };
}

/** Labels by name; undefined if a line is not `name=value`. */
export function labelsOf(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at <= 0) return undefined;
    labels[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return labels;
}

/** The fields that creating and previewing a rule share. */
export function bodyOf(draft: RuleDraft, annotations: Readonly<Record<string, string>> = {}) {
  const { summary: _s, description: _d, ...others } = annotations;
  // A rule about absence has no value to compare.
  const threshold = draft.kind === 'absence' ? 0 : Number(draft.threshold);
  const condition = {
    ...(draft.op !== 'any' && { op: draft.op, threshold }),
    for: draft.for.trim(),
    keep_firing_for: draft.keep_firing_for.trim(),
  };
  return {
    name: draft.name.trim(),
    query: draft.query.trim(),
    query_language: draft.language,
    kind: draft.kind,
    condition,
    ...(draft.kind === 'change' && { change: { ago: draft.ago.trim(), as: draft.as } }),
    every: draft.every.trim(),
    offset: draft.offset.trim() === '' ? null : draft.offset.trim(),
    ...(draft.language === 'oql' && draft.window.trim() !== '' && { window: draft.window.trim() }),
    labels: labelsOf(draft.labels) ?? {},
    annotations: {
      ...others,
      ...(draft.summary.trim() !== '' && { summary: draft.summary.trim() }),
      ...(draft.description.trim() !== '' && { description: draft.description.trim() }),
    },
    ...(draft.runbook_url.trim() !== '' && { runbook_url: draft.runbook_url.trim() }),
    no_data: draft.no_data,
    missing_series: draft.missing_series,
    on_error: draft.on_error,
  } satisfies Omit<Body, 'project'>;
}

/** The change of a rule to what the draft says, if nobody has changed it since. */
export function patchOf(draft: RuleDraft, rule: AlertRule): Patch {
  return {
    ...bodyOf(draft, rule.annotations),
    ...(draft.runbook_url.trim() === '' && { runbook_url: null }),
    version: rule.version,
  };
}

/** `> 0.05 for 5m`, `no rows`, `> 0.5 times that of 1d before`. */
export function conditionText({
  kind,
  condition,
  change,
  burn,
}: Pick<AlertRule, 'kind' | 'condition' | 'change' | 'burn'>): string {
  if (burn !== undefined)
    return burn.windows
      .map(({ long, short, factor }) => `burn rate > ${factor} over ${long} and ${short}`)
      .join(', or ');
  const held = condition.for === '0s' ? '' : ` for ${condition.for}`;
  if (kind === 'absence') return `no rows${held}`;
  if (condition.op === undefined) return `any series${held}`;
  const compared = `${condition.op} ${condition.threshold}`;
  if (kind !== 'change' || change === null) return `${compared}${held}`;
  return `change from ${change.ago} before ${compared}${held}`;
}

/**
 * The query with a row per bucket as wide as the rule's window, so that a chart shows the values that the rule sees; null
 * for a query that cannot be charted so.
 */
export function chartQuery(query: string, bucket: string): string | null {
  const stages = parse(query).query?.pipeline.stages ?? [];
  const at = stages.findLastIndex(({ kind }) => kind === 'stats' || kind === 'aggregate');
  const stage = stages[at];
  if (stage?.kind !== 'stats' && stage?.kind !== 'aggregate') return null;
  if (stages.some(({ kind }) => kind === 'broken')) return null;
  // These would choose among the rows of all buckets.
  if (stages.slice(at + 1).some(({ kind }) => kind === 'top' || kind === 'limit' || kind === 'compare')) return null;
  const key = `${stage.by.length === 0 ? ' by ' : ', '}bucket(${bucket})`;
  return `${query.slice(0, stage.end).trimEnd()}${key}${query.slice(stage.end)}`;
}

/**
 * Whether a query filters the rows of its answer by their value: a row below the threshold is then missing instead of
 * healthy. Filters by what the query groups by are harmless.
 */
export function filtersByValue(query: string): boolean {
  const stages = parse(query).query?.pipeline.stages ?? [];
  const at = stages.findLastIndex(({ kind }) => kind === 'stats' || kind === 'aggregate');
  const stage = stages[at];
  if (stage?.kind !== 'stats' && stage?.kind !== 'aggregate') return false;
  const textOf = ({ start, end }: { readonly start: number; readonly end: number }) => query.slice(start, end);
  const keys = new Set(stage.by.map(({ alias, value }) => alias?.text ?? textOf(value)));
  return stages
    .slice(at + 1)
    .some((one) => one.kind === 'where' && pathsIn(one.predicate).some((path) => !keys.has(textOf(path))));
}

interface PathRange {
  readonly kind: 'path';
  readonly start: number;
  readonly end: number;
}

/** The fields that a part of a query names. */
function pathsIn(part: unknown): PathRange[] {
  if (typeof part !== 'object' || part === null) return [];
  return isPath(part) ? [part] : Object.values(part).flatMap(pathsIn);
}

function isPath(part: object): part is PathRange {
  return 'kind' in part && part.kind === 'path';
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of `5m`; undefined if it is not a duration. */
export function milliseconds(text: string): number | undefined {
  const match = /^(\d{1,6})([smhdw])$/.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? ''];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}

/** The query of the chart: an expression in PromQL is evaluated at each step. Null if it cannot be charted. */
export function charted({ language, query }: Pick<RuleDraft, 'language' | 'query'>, bucket: string): string | null {
  if (language === 'oql') return chartQuery(query, bucket);
  return query.trim() === '' ? null : query.trim();
}

/** The time that a query of the draft covers, as the server reads it; the distance of evaluations in PromQL. */
export function windowOf({ window, every }: Pick<RuleDraft, 'window' | 'every'>): string {
  if (window.trim() !== '') return window.trim();
  return (milliseconds(every) ?? 0) < 60_000 ? '1m' : every.trim();
}
