import { PromqlError, parsePromql, typeOf } from '@fanion/promql';
import { type Fields, fieldsOf, isFields, listOf, yamlTextOf } from '../files/fields.ts';
import { durationText, prometheusDurationMs } from '../files/prometheus-durations.ts';
import { NoEqual, NotThisFormat, type Report } from '../files/report.ts';
import { annotationOf } from './annotation.ts';

export interface RuleFile {
  readonly name: string;
  readonly content: unknown;
}

export interface ConvertRulesOptions {
  /** How often groups without an interval are evaluated. */
  readonly interval: string;
  /** Nobody named that interval: Prometheus may have evaluated them at another one. */
  readonly isIntervalAssumed?: boolean;
  readonly environment?: string | undefined;
}

export interface ConvertedRule {
  /** `node.yaml: group node-exporter, alert NodeDown`. */
  readonly where: string;
  readonly name: string;
  readonly content: Fields;
}

export interface ConvertedRules {
  readonly alertRules: readonly ConvertedRule[];
  readonly recordingRules: readonly ConvertedRule[];
  /** Rules in the files. */
  readonly count: number;
}

/** Every rule has a line in the report or a document; a server accepts fewer. */
const maxRules = 10_000;

/**
 * Converts rule files of Prometheus, and PrometheusRule objects of Kubernetes. Expressions stay as they are. A rule that has no equal
 * is left out and reported.
 *
 * @throws NotThisFormat
 */
export function convertRules(files: readonly RuleFile[], options: ConvertRulesOptions, report: Report): ConvertedRules {
  const rules = files.flatMap(rulesOf);
  if (rules.length > maxRules)
    throw new NotThisFormat(`the files have ${rules.length} rules; at most ${maxRules} are imported at once`);
  const alertRules: ConvertedRule[] = [];
  const recordingRules: ConvertedRule[] = [];
  /** The first rule of each name and labels, and where it stands among those of its kind. */
  const seen = new Map<string, { readonly rule: Rule; readonly at: number }>();
  for (const rule of rules) {
    const converted = report.attempt(rule.where, 'the rule is left out', () => {
      const content = rule.kind === 'alert' ? alertOf(rule, options, report) : recordOf(rule, options);
      const identity = JSON.stringify([rule.kind, content.name, Object.entries(fieldsOf(content.labels)).sort()]);
      const first = seen.get(identity);
      if (first !== undefined) {
        recordingRules[first.at] = joined(recordingRules[first.at], first.rule, rule);
        report.changed(
          rule.where,
          'the rule before it with its name and labels also writes its series, joined by `or`',
        );
        return undefined;
      }
      seen.set(identity, { rule, at: recordingRules.length });
      return { where: rule.where, name: String(content.name), content };
    });
    if (converted !== undefined) (rule.kind === 'alert' ? alertRules : recordingRules).push(converted);
  }
  const groups = new Map(rules.map((rule) => [rule.group, rule]));
  for (const rule of groups.values())
    report.attempt(rule.group, 'its rules are left out', () => reportTiming(rule, options, report));
  for (const where of new Set(rules.filter(({ limit }) => limit > 0).map(({ group }) => group)))
    report.changed(where, 'its limit has no equal; an alert rule fails at more than 1000 instances');
  return { alertRules, recordingRules, count: rules.length };
}

interface Rule {
  readonly kind: 'alert' | 'record';
  readonly where: string;
  readonly name: string;
  readonly expression: string;
  readonly fields: Fields;
  readonly labels: Fields;
  /** The file and the group. */
  readonly group: string;
  readonly groupName: string;
  readonly interval: string | undefined;
  readonly offset: string | undefined;
  readonly limit: number;
  readonly position: number;
}

function rulesOf({ name, content }: RuleFile): Rule[] {
  const groups = isFields(content) ? (content.groups ?? fieldsOf(content.spec).groups) : undefined;
  if (!Array.isArray(groups)) throw new NotThisFormat(`${name} is not a rule file of Prometheus: it has no \`groups\``);
  return groups.flatMap((item: unknown): Rule[] => {
    const group = fieldsOf(item);
    const groupName = yamlTextOf(group.name) ?? 'unnamed';
    return listOf(group.rules).map((one, position): Rule => {
      const fields = fieldsOf(one);
      const alert = yamlTextOf(fields.alert);
      const kind = alert === undefined ? 'record' : 'alert';
      const own = alert ?? yamlTextOf(fields.record) ?? '';
      return {
        kind,
        where: `${name}: group ${groupName}, ${kind} ${own === '' ? `number ${position + 1}` : own}`,
        name: own,
        expression: yamlTextOf(fields.expr) ?? '',
        fields,
        labels: { ...fieldsOf(group.labels), ...fieldsOf(fields.labels) },
        group: `${name}: group ${groupName}`,
        groupName,
        interval: yamlTextOf(group.interval),
        offset: yamlTextOf(group.query_offset),
        limit: typeof group.limit === 'number' ? group.limit : 0,
        position,
      };
    });
  });
}

/** A recording rule that also writes the series of another one of its group. Scalars have no labels that tell them apart. */
function joined(known: ConvertedRule | undefined, first: Rule, rule: Rule): ConvertedRule {
  const isScalar = [first, rule].some(({ expression }) => typeOfText(expression) === 'scalar');
  if (known === undefined || rule.kind === 'alert' || first.group !== rule.group || isScalar)
    throw new NoEqual('another rule has its name and its labels');
  const query = `${String(known.content.query)}\nor\n${expressionOf(rule)}`;
  return { ...known, content: { ...known.content, query } };
}

/** The expression of a rule as it is written. */
function expressionOf({ expression }: Rule): string {
  const text = expression.trim();
  if (text === '') throw new NoEqual('it has no expression');
  const type = typeOfText(text);
  if (type === 'matrix' || type === 'string') throw new NoEqual('its expression returns no numbers');
  return text;
}

function typeOfText(text: string): ReturnType<typeof typeOf> {
  try {
    return typeOf(parsePromql(text));
  } catch (error) {
    if (error instanceof PromqlError) throw new NoEqual(`it is not valid PromQL: ${error.message}`);
    throw error;
  }
}

function alertOf(rule: Rule, options: ConvertRulesOptions, report: Report): Fields {
  const { where, name, fields } = rule;
  checkFields(rule, ['alert', 'expr', 'for', 'keep_firing_for', 'labels', 'annotations'], report);
  const labels = staticLabels(rule.labels);
  const annotations: Record<string, string> = {};
  for (const [key, given] of Object.entries(fieldsOf(fields.annotations))) {
    const at = `${where}, annotation ${key}`;
    const text = report.attempt(at, 'it is left out', () =>
      annotationOf(yamlTextOf(given) ?? '', (what) => report.changed(at, what)),
    );
    if (text !== undefined) annotations[key] = text;
  }
  const runbook = annotations.runbook_url;
  return {
    name,
    ...(options.environment !== undefined && { environment: options.environment }),
    query: expressionOf(rule),
    query_language: 'promql',
    condition: {
      ...durationField('for', fields.for),
      ...durationField('keep_firing_for', fields.keep_firing_for),
    },
    ...timing(rule, options),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(runbook !== undefined && /^https?:\/\/[^\s{}]+$/.test(runbook) && { runbook_url: runbook }),
  };
}

function recordOf(rule: Rule, options: ConvertRulesOptions): Fields {
  const { name, groupName, position } = rule;
  if (name === '') throw new NoEqual('it has neither alert nor record');
  const labels = staticLabels(rule.labels);
  return {
    name,
    ...(options.environment !== undefined && { environment: options.environment }),
    query: expressionOf(rule),
    query_language: 'promql',
    ...timing(rule, options),
    ...(Object.keys(labels).length > 0 && { labels }),
    group: groupName.slice(0, 128),
    ...(position > 0 && { position: Math.min(position, 1_000) }),
  };
}

function checkFields({ fields, where }: Rule, known: readonly string[], report: Report): void {
  for (const name of Object.keys(fields)) if (!known.includes(name)) report.lost(where, `${name} is unknown here`);
}

function staticLabels(given: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const text = yamlTextOf(value) ?? (typeof value === 'boolean' ? String(value) : '');
      if (text.includes('{{')) throw new NoEqual(`the label ${name} has a template, and labels are fixed here`);
      return [name, text];
    }),
  );
}

function durationField(name: string, given: unknown): Fields {
  const text = yamlTextOf(given);
  const duration = text === undefined ? '0s' : durationText(prometheusDurationMs(text));
  return duration === '0s' ? {} : { [name]: duration };
}

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const dayMs = 24 * hourMs;

/** `every` and `offset` of a rule, from its group. */
function timing({ interval: own, offset }: Pick<Rule, 'interval' | 'offset'>, { interval }: ConvertRulesOptions) {
  const everyMs = within(prometheusDurationMs(own ?? interval), secondMs, dayMs);
  const offsetMs = offset === undefined ? undefined : within(prometheusDurationMs(offset), 0, hourMs);
  return { every: durationText(everyMs), ...(offsetMs !== undefined && { offset: durationText(offsetMs) }) };
}

/** In whole seconds. */
function within(ms: number, leastMs: number, mostMs: number): number {
  return Math.min(Math.max(Math.ceil(ms / secondMs) * secondMs, leastMs), mostMs);
}

/** Names each interval and offset of a group that is not kept. */
function reportTiming(rule: Rule, options: ConvertRulesOptions, report: Report): void {
  const { every, offset } = timing(rule, options);
  const interval = rule.interval ?? options.interval;
  if (prometheusDurationMs(every) !== prometheusDurationMs(interval))
    report.changed(
      rule.group,
      `its interval of ${interval} becomes ${every}: intervals are whole seconds from 1s to 1d`,
    );
  else if (rule.interval === undefined && options.isIntervalAssumed)
    report.changed(
      rule.group,
      `it has no interval: its rules are evaluated every ${every}; --interval sets another one`,
    );
  if (
    rule.offset !== undefined &&
    offset !== undefined &&
    prometheusDurationMs(offset) !== prometheusDurationMs(rule.offset)
  )
    report.changed(
      rule.group,
      `its query_offset of ${rule.offset} becomes ${offset}: offsets are whole seconds up to 1h`,
    );
}
