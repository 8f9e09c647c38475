import type { SloSearch } from '../../alerting/slo-search.ts';
import { fieldPath, parseFilters } from '../../telemetry/filters.ts';
import { FLAG_EVALUATION } from '../../telemetry/flag-evaluation.ts';
import { quote, whereStage } from '../../telemetry/oql.ts';

/** Log lines that are read at a time: a screen or two at first, so that they show soon; then as many as a request may have. */
export const PAGE_LINES = { first: 200, next: 2000 } as const;

export const SEVERITIES = ['debug', 'info', 'warn', 'error', 'fatal'] as const;

export interface LogSearch {
  q?: string | undefined;
  service?: string | undefined;
  severity?: string | undefined;
  /** Picked filters: see telemetry/filters.ts. */
  where?: string | undefined;
  /** `show`: with the lines of flag evaluations, which are hidden otherwise. */
  evaluations?: string | undefined;
}

const EVALUATIONS = `event_name == ${quote(FLAG_EVALUATION)}`;
const NO_EVALUATIONS = `event_name != ${quote(FLAG_EVALUATION)}`;
/** Conditions on these are about such lines, or pick lines by their shapes. */
const ABOUT_EVALUATIONS = /\b(event_name|feature_flag|shape)\b/;

/** Whether lines of flag evaluations are left out: by default, unless the search asks about them. */
export function hidesEvaluations({ q = '', where = '', evaluations }: LogSearch): boolean {
  return evaluations !== 'show' && !ABOUT_EVALUATIONS.test(`${q}\n${where}`);
}

/** The conditions of a search, with that on flag evaluations. */
export function searchConditions(search: LogSearch): string[] {
  return [...ownConditions(search), ...(hidesEvaluations(search) ? [NO_EVALUATIONS] : [])];
}

/** How many lines of flag evaluations the search has. */
export function evaluationsQuery(search: LogSearch): string {
  return `logs${whereStage([...ownConditions(search), EVALUATIONS])} | stats n=count()`;
}

/** Each plain word is searched in the body; a text that contains an OQL operator is one condition. */
function ownConditions({ q, service, severity, where }: LogSearch): string[] {
  return [
    service !== undefined && `service.name == ${quote(service)}`,
    severity !== undefined && (SEVERITIES as readonly string[]).includes(severity) && `severity >= ${severity}`,
    ...bodyConditions(q ?? ''),
    ...parseFilters(where),
  ].filter((condition): condition is string => typeof condition === 'string');
}

const OPERATORS = /[=<>!~]|\b(has|contains|in|matches|and|or|not|exists|starts_with|ends_with)\b/;

function bodyConditions(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (OPERATORS.test(trimmed)) return [`(${trimmed})`];
  return trimmed.split(/\s+/).map((word) => `body has ${quote(word)}`);
}

export function logsQuery(conditions: readonly string[], limit: number): string {
  return `logs${whereStage(conditions)} | sort -time | limit ${limit}`;
}

/** How many lines there are, as an alert rule watches it. */
export function alertQuery(conditions: readonly string[]): string {
  return `logs${whereStage(conditions)} | stats value=count() by service.name`;
}

/** How many lines there are by the values of a field, over time. */
export function groupQuery(conditions: readonly string[], field: string): string {
  return `logs${whereStage(conditions)} | stats n=count() by ${fieldPath(field)}, bucket(auto)`;
}

/** An SLO of the lines: those below errors are good. */
export function sloOf(conditions: readonly string[]): SloSearch {
  return { source: `logs${whereStage(conditions)}`, good: 'severity < error' };
}

export function volumeQuery(conditions: readonly string[], bucket: string): string {
  return `logs${whereStage(conditions)} | stats n=count() by severity, bucket(${bucket})`;
}

/** The words for a pattern search; null if the text is a condition, which pattern search does not support. */
export function patternsSearch(text: string): string | null {
  const trimmed = text.trim();
  return OPERATORS.test(trimmed) ? null : trimmed;
}

/** The condition for the lines of a pattern, by its shapes, which are integers. */
export function shapesCondition(shapes: readonly string[]): string {
  return shapes.length === 1 ? `shape == ${shapes[0]}` : `shape in (${shapes.join(', ')})`;
}
