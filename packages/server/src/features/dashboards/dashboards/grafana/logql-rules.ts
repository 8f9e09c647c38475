import { namedVariables, type Translated, wholeVariable, withVariables } from './template-rules.ts';

const longestExpression = 8_192;
const longestLines = 1_000;

/** Resource attributes that Loki makes labels of logs it receives over OTLP, with `_` instead of `.` */
const resourceAttributes = [
  ...['service.name', 'service.namespace', 'service.instance.id', 'deployment.environment', 'container.name'],
  ...['cloud.region', 'cloud.availability_zone', 'k8s.cluster.name', 'k8s.namespace.name', 'k8s.pod.name'],
  ...['k8s.container.name', 'k8s.deployment.name', 'k8s.statefulset.name', 'k8s.daemonset.name'],
  ...['k8s.replicaset.name', 'k8s.job.name', 'k8s.cronjob.name'],
];
const ofLabels = new Map(resourceAttributes.map((name) => [name.replaceAll('.', '_'), name]));
/** What agents of Loki call these attributes: likely, so that the report says it. */
const likely = new Map([
  ['app', 'service.name'],
  ['namespace', 'k8s.namespace.name'],
  ['pod', 'k8s.pod.name'],
  ['container', 'k8s.container.name'],
]);
/** Stages that add labels to lines or change how lines look. Neither chooses lines. */
const harmlessStages = new Set([
  ...['json', 'logfmt', 'unpack', 'pattern', 'regexp', 'line_format', 'label_format', 'decolorize', 'drop', 'keep'],
]);

const text = String.raw`"(?:[^"\\\n]|\\.)*"|${'`[^`]*`'}`;
const matcherForm = new RegExp(String.raw`\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*(${text})\s*(,|\})`, 'y');
const filterForm = new RegExp(String.raw`\s*(\|=|\|~|!=|!~)\s*(${text})\s*(?=$|[|!])`, 'y');
const stageForm = new RegExp(String.raw`\s*\|\s*([a-z_]+)((?:${text}|[^"${'`'}|])*)`, 'y');

/**
 * Translates a LogQL query for lines: a selector of streams, filters of lines, and stages after them that choose no lines.
 * @param maxLines how many lines the panel of Grafana shows
 */
export function translatedLogs(
  expression: string,
  { variables, maxLines }: { readonly variables: ReadonlySet<string>; readonly maxLines: number | undefined },
): Translated {
  if (expression.length > longestExpression)
    return { problem: `the expression is longer than ${longestExpression} characters` };
  const given = expression.trim();
  const unknown = namedVariables(given).find((name) => !variables.has(name));
  if (unknown !== undefined) return { problem: `it uses $${unknown}, which is no variable of the imported dashboard` };
  const losses: string[] = [];
  const conditions: string[] = [];
  const end = afterSelector(given, conditions, losses);
  if (typeof end !== 'number') return end;
  const problem = readFilters(given, end, conditions, losses);
  if (problem !== undefined) return { problem };
  const where = conditions.length === 0 ? '' : ` | where ${conditions.join(' and ')}`;
  const limit = Math.min(longestLines, Math.max(1, Math.floor(maxLines ?? longestLines)));
  return { query: withVariables(`logs${where} | sort -time | limit ${limit}`, variables), losses };
}

/** @returns where the selector of streams ends */
function afterSelector(given: string, conditions: string[], losses: string[]): number | { readonly problem: string } {
  if (!given.startsWith('{')) return { problem: 'only queries for log lines are translated: `{label="value"}`' };
  for (let at = 1; ; ) {
    if (at > 1 && /^\s*\}/.test(given.slice(at, at + 100))) return given.indexOf('}', at) + 1;
    matcherForm.lastIndex = at;
    const found = matcherForm.exec(given);
    const value = found?.[3] === undefined ? undefined : unquoted(found[3]);
    if (found === null || value === undefined) return { problem: 'its selector of streams is not understood' };
    const [, label = '', operator = '=', , close] = found;
    const condition = matching(fieldOf(label, losses), operator, value);
    if (condition !== '') conditions.push(condition);
    at = matcherForm.lastIndex;
    if (close === '}') return at;
  }
}

/** Adds the conditions of filters; returns why there is no translation, if so. */
function readFilters(given: string, start: number, conditions: string[], losses: string[]): string | undefined {
  let isParsed = false;
  for (let at = start; given.slice(at).trim() !== ''; ) {
    filterForm.lastIndex = at;
    const filter = filterForm.exec(given);
    if (filter !== null) {
      const value = unquoted(filter[2] ?? '');
      if (isParsed) return 'it filters lines after it changed them';
      const condition = value === undefined ? undefined : filtering(filter[1] ?? '', value, losses);
      if (condition === undefined) return `OQL has no equal of ${filter[0].trim()}`;
      if (condition !== '') conditions.push(condition);
      at = filterForm.lastIndex;
      continue;
    }
    stageForm.lastIndex = at;
    const stage = stageForm.exec(given);
    const name = stage?.[1] ?? '';
    if (!harmlessStages.has(name)) return `OQL has no equal of ${given.slice(at).trim().slice(0, 100)}`;
    losses.push(`its stage ${name}`);
    isParsed = true;
    at = stageForm.lastIndex;
  }
  return undefined;
}

function fieldOf(label: string, losses: string[]): string {
  const exact = ofLabels.get(label);
  if (exact !== undefined) return exact;
  const attribute = likely.get(label);
  losses.push(`the label ${label} is read from the attribute ${attribute ?? label}`);
  return attribute ?? `\`${label}\``;
}

/** In Loki a missing label equals the empty text, and a pattern matches the whole label. */
function matching(field: string, operator: string, value: string): string {
  const orEmpty = `coalesce(${field}, "")`;
  const whole = wholeVariable(value);
  // Of several values, a comparison means one of them, as the pattern that Grafana makes of them.
  if (whole !== undefined) return `${field} ${operator.startsWith('=') ? '==' : '!='} "$${whole}"`;
  if (operator === '=' || operator === '!=') {
    const isSame = operator === '=' ? '==' : '!=';
    return `${value === '' ? orEmpty : field} ${isSame} ${JSON.stringify(value)}`;
  }
  if (operator === '=~' && value === '.*') return '';
  if (operator === '=~' && value === '.+') return `${orEmpty} != ""`;
  return `${orEmpty} ${operator} ${JSON.stringify(`^(?:${value})$`)}`;
}

/** An empty text: the filter keeps every line. Undefined: it has no equal. */
function filtering(operator: string, value: string, losses: string[]): string | undefined {
  if (operator === '|~' || operator === '!~') return `body ${operator === '|~' ? '=~' : '!~'} ${JSON.stringify(value)}`;
  if (value === '') return operator === '|=' ? '' : undefined;
  const names = namedVariables(value);
  if (names.length === 0) {
    // Unlike `contains`, the filter distinguishes upper and lower case.
    const literal = JSON.stringify(value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    return `body ${operator === '|=' ? '=~' : '!~'} ${literal}`;
  }
  const whole = value.startsWith('$') && value.at(-1) !== '$' ? wholeVariable(value) : undefined;
  if (whole === undefined) return undefined;
  losses.push(`the filter for $${whole} ignores upper and lower case`);
  return `${operator === '|=' ? '' : 'not '}body contains "$${whole}"`;
}

/** The text of a quoted one; undefined if it has an escape that JSON does not have. */
function unquoted(quoted: string): string | undefined {
  if (quoted.startsWith('`')) return quoted.slice(1, -1);
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
