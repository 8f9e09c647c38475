import type { Permission } from '@fanion/contract';
import {
  type AlertRuleRow,
  activeState,
  alertRules,
  isListedRule,
  listInstances,
  type NamedInstanceRow,
} from '../../../features/alerting/alert-rules/index.ts';
import { renderTemplate, type TemplateData } from '../../../features/alerting/templates/index.ts';
import { isListedRecording, recordingRules } from '../../../features/slos/recording-rules/index.ts';
import type { Access } from '../../../http/caller.ts';
import { createBreath } from '../../../platform/breath.ts';
import { type Clock, dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Parameters, Place } from '../../read/request.ts';
import { groupsOf, type ListedAlert, type RuleFilter, valueText } from './group-rules.ts';

export interface RuleListParts {
  readonly db: Database;
  readonly access: Pick<Access, 'scope'>;
  readonly clock: Clock;
}

/** Most rules of one kind, and most alerts, that are listed. */
const maxListed = 10_000;
/** For the annotations of all alerts together; those that are left over are listed as they are written. */
const maxRenderingMs = 1_000;

/** The rules of a place in groups. What the caller may not see is left out, and a warning says so. */
export async function listGroups(parts: RuleListParts, place: Place, parameters: Parameters) {
  const asked = filterOf(parameters);
  const { rules, alertsOf, warnings } = asked.type === 'record' ? nothing : await activeAlerts(parts, place);
  const recordings = asked.type === 'alert' ? noRecordings : await listRecordings(parts, place);
  const shown = parameters.one('exclude_alerts') === 'true' ? nothing.alertsOf : alertsOf;
  const groups = groupsOf(rules, recordings.rules, shown, asked);
  return { data: { groups }, warnings: [...warnings, ...recordings.warnings] };
}

/** The alerts of a place that are pending or firing. */
export async function listAlerts(parts: RuleListParts, place: Place) {
  const { alertsOf, warnings } = await activeAlerts(parts, place);
  return { data: { alerts: [...alertsOf.values()].flat() }, warnings };
}

const noRecordings = { rules: [], warnings: [] };

async function listRecordings({ db, access }: RuleListParts, place: Place) {
  if (!(await may(access, place, 'dashboards:read')))
    return { rules: [], warnings: ['recording rules are left out: they need dashboards:read'] };
  const page = { after: undefined, limit: maxListed };
  const rules = await recordingRules.list(db, place.workspace.id, page, isListedRecording(placeOf(place)));
  return { rules, warnings: cutAt('recording rules', rules) };
}

function cutAt(what: string, listed: readonly unknown[]): string[] {
  return listed.length < maxListed ? [] : [`only the newest ${maxListed} ${what} are listed`];
}

interface Found {
  readonly rules: readonly AlertRuleRow[];
  readonly alertsOf: ReadonlyMap<string, readonly ListedAlert[]>;
  readonly warnings: readonly string[];
}

const nothing: Found = { rules: [], alertsOf: new Map(), warnings: [] };

async function activeAlerts({ db, access, clock }: RuleListParts, place: Place): Promise<Found> {
  if (!(await may(access, place, 'alerts:read')))
    return { ...nothing, warnings: ['alerts and their rules are left out: they need alerts:read'] };
  const page = { after: undefined, limit: maxListed };
  const rules = await alertRules.list(db, place.workspace.id, page, isListedRule(placeOf(place)));
  const filter = { ruleId: undefined, state: undefined, label: undefined, resolvedAfter: dateOf(clock) };
  const instances = await listInstances(db, place.workspace.id, filter, page);
  const alertsOf = await presented(rules, instances);
  return { rules, alertsOf, warnings: [...cutAt('alert rules', rules), ...cutAt('alerts', instances)] };
}

async function presented(
  rules: readonly AlertRuleRow[],
  instances: readonly NamedInstanceRow[],
): Promise<Map<string, ListedAlert[]>> {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const alertsOf = new Map<string, ListedAlert[]>();
  const breath = createBreath();
  let renderingMs = 0;
  for (const instance of instances) {
    const rule = byId.get(instance.rule_id);
    const state = activeState(instance.state);
    if (rule === undefined || state === undefined) continue;
    const began = performance.now();
    const alert = alertOf(rule, instance, renderingMs > maxRenderingMs ? (text) => text : renderedText);
    renderingMs += performance.now() - began;
    const known = alertsOf.get(rule.id);
    if (known === undefined) alertsOf.set(rule.id, [{ ...alert, state }]);
    else known.push({ ...alert, state });
    await breath();
  }
  return alertsOf;
}

const renderedText = (text: string, data: TemplateData) => renderTemplate(text, data).text;

function alertOf(
  { id, name, definition }: AlertRuleRow,
  { labels: own, value, active_since, fired_at, updated_at }: NamedInstanceRow,
  render: (text: string, data: TemplateData) => string,
): Omit<ListedAlert, 'state'> {
  const { annotations, runbook_url } = definition;
  const labels = { ...own, alertname: name };
  const activeAt = (active_since ?? fired_at ?? updated_at).toISOString();
  const rule = { id, name, runbook_url: runbook_url ?? null };
  const data: TemplateData = { labels, value, rule, annotations, status: 'firing', starts_at: activeAt };
  const texts = Object.entries(annotations).map(([key, text]) => [key, render(text, data)]);
  return { labels, annotations: Object.fromEntries(texts), activeAt, value: valueText(value) };
}

function placeOf({ narrowed: { project, environment } }: Place) {
  return { projectId: project?.id, environment, search: undefined };
}

async function may(access: RuleListParts['access'], { caller, workspace }: Place, permission: Permission) {
  return (await access.scope(caller, { workspace: workspace.id })).permissions.has(permission);
}

/** @throws `PROMETHEUS_PARAMETER_INVALID` */
function filterOf(parameters: Parameters): RuleFilter {
  const type = parameters.one('type');
  if (type !== undefined && type !== 'alert' && type !== 'record')
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name: 'type', reason: `not supported value "${type}"` });
  if (parameters.one('match[]') !== undefined)
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name: 'match[]', reason: 'rules are not selected by their labels' });
  return {
    type,
    names: parameters.all('rule_name[]'),
    groups: parameters.all('rule_group[]'),
    files: parameters.all('file[]'),
  };
}
