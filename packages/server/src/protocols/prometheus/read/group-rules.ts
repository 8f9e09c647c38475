import type { AlertDefinition } from '@fanion/contract';
import { durationMs } from '../../../platform/durations.ts';

/** An alert rule, as Prometheus lists it. */
export interface ListedAlertRule {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly definition: AlertDefinition;
  /** Keys of its place. */
  readonly project: string;
  readonly environment: string | null;
  readonly last_error: string | null;
  readonly evaluated_at: Date | null;
}

export interface ListedRecordingRule {
  readonly name: string;
  readonly definition: { readonly query: string; readonly labels: Readonly<Record<string, string>> };
  readonly project: string;
  readonly rule_group: string;
  readonly every_ms: string;
  readonly last_error: string | null;
  readonly watermark: Date;
}

/** An alert of a rule that has begun and is not over. */
export interface ListedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
  readonly activeAt: string;
  readonly value: string;
}

/** Which rules a request is about: undefined or empty leaves nothing out. */
export interface RuleFilter {
  readonly type: 'alert' | 'record' | undefined;
  readonly names: readonly string[];
  readonly groups: readonly string[];
  readonly files: readonly string[];
}

/** What stands where Prometheus has the path of a file. */
export const alertRulesFile = 'alert rules';
export const recordingRulesFile = 'recording rules';
/** Go's zero time: never. */
const never = '0001-01-01T00:00:00Z';

/** A number as Go's `FormatFloat(v, 'e', -1, 64)`, which Prometheus writes for the value of an alert. */
export function valueText(value: number | null): string {
  if (value === null || Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** An alert rule as an entry of a group (`web/api/v1/api.go`, `AlertingRule`). */
function alertingRule(rule: ListedAlertRule, alerts: readonly ListedAlert[]) {
  const { name, query, definition, last_error, evaluated_at } = rule;
  const { condition, kind, labels, annotations, runbook_url } = definition;
  const { op, threshold } = condition;
  const compared = definition.query_language === 'promql' ? `(${query})` : query;
  const isFiring = alerts.some(({ state }) => state === 'firing');
  return {
    type: 'alerting',
    name,
    state: isFiring ? 'firing' : alerts.length > 0 ? 'pending' : 'inactive',
    query: kind === 'threshold' && op !== undefined ? `${compared} ${op} ${threshold}` : query,
    duration: durationMs(condition.for) / 1_000,
    keepFiringFor: durationMs(condition.keep_firing_for) / 1_000,
    labels,
    annotations: { ...annotations, ...(runbook_url != null && { runbook_url }) },
    alerts,
    ...healthOf(last_error, evaluated_at),
  };
}

function recordingRule({ name, definition, last_error, watermark }: ListedRecordingRule) {
  const { query, labels } = definition;
  return { type: 'recording', name, query, labels, ...healthOf(last_error, watermark) };
}

/** How long an evaluation took is not kept. */
function healthOf(error: string | null, at: Date | null) {
  return {
    health: error !== null ? 'err' : at === null ? 'unknown' : 'ok',
    ...(error !== null && { lastError: error }),
    evaluationTime: 0,
    lastEvaluation: at?.toISOString() ?? never,
  };
}

type Rule = ReturnType<typeof alertingRule> | ReturnType<typeof recordingRule>;

interface Group {
  readonly name: string;
  readonly file: string;
  /** Seconds. */
  readonly interval: number;
  readonly rules: Rule[];
}

/**
 * Rules in groups as Prometheus has them: alert rules by their place and interval, recording rules by their own groups.
 * @param alertsOf the alerts of a rule by its id
 */
export function groupsOf(
  rules: readonly ListedAlertRule[],
  recordings: readonly ListedRecordingRule[],
  alertsOf: ReadonlyMap<string, readonly ListedAlert[]>,
  filter: RuleFilter,
) {
  const groups = new Map<string, Group>();
  const isIn = (wanted: readonly string[], one: string) => wanted.length === 0 || wanted.includes(one);
  const add = (group: Omit<Group, 'rules'>, rule: Rule) => {
    if (!isIn(filter.names, rule.name) || !isIn(filter.groups, group.name) || !isIn(filter.files, group.file)) return;
    const key = JSON.stringify([group.file, group.name, group.interval]);
    const known = groups.get(key) ?? { ...group, rules: [] };
    known.rules.push(rule);
    groups.set(key, known);
  };
  for (const rule of filter.type === 'record' ? [] : rules) {
    const { project, environment, definition } = rule;
    const place = environment === null ? project : `${project}/${environment}`;
    const interval = durationMs(definition.every) / 1_000;
    const name = `${place} every ${definition.every}`;
    add({ name, file: alertRulesFile, interval }, alertingRule(rule, alertsOf.get(rule.id) ?? []));
  }
  for (const rule of filter.type === 'alert' ? [] : recordings) {
    const name = `${rule.project}/${rule.rule_group}`;
    add({ name, file: recordingRulesFile, interval: Number(rule.every_ms) / 1_000 }, recordingRule(rule));
  }
  return [...groups.values()]
    .toSorted((a, b) => compare(a.file, b.file) || compare(a.name, b.name))
    .map((group) => ({ ...group, limit: 0, evaluationTime: 0, lastEvaluation: lastOf(group.rules) }));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lastOf(rules: readonly Rule[]): string {
  const times = rules.map(({ lastEvaluation }) => lastEvaluation);
  return times.toSorted().at(-1) ?? never;
}
