import type { MetricDefinition } from '@fanion/contract';
import type { Diagnostic, OqlType } from '@fanion/oql';
import { fail } from '../../../platform/fail.ts';
import { type Gateway, scopeToCompile } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { checkKind, type Issue, rowColumns, rowsQuery } from './definition-rules.ts';
import { cutOf, isExpression } from './scan-rules.ts';

const hourNs = 3_600_000_000_000n;

/** Signals whose rows belong to traces. */
const withTraces = ['spans', 'logs', 'events', 'links', 'traces', 'exemplars', 'flags'];

/** Throws `METRIC_INVALID` for what its kind lacks or cannot have, and `OQL_INVALID` for a text that does not compile. */
export async function checkMetric(
  { compiler }: Pick<Gateway, 'compiler'>,
  scope: TelemetryScope,
  metric: MetricDefinition,
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<void> {
  refuse(checkKind(metric));
  const toNs = BigInt(nowMs) * 1_000_000n;
  const options = { scope: scopeToCompile(scope), window: { fromNs: toNs - hourNs, toNs }, nowNs: toNs };
  const asked = { workspace: scope.workspace, signal };
  const { source, unit, value, denominator, steps = [] } = metric;

  const rows = await compiler.compile(source, { ...options, limit: 1 }, asked);
  if (!rows.ok) throw invalid(rows.diagnostics, 'source');
  if (rows.keys !== null)
    refuse([
      { path: 'source', message: 'The source returns groups. End it before `stats`: each of its rows is an event.' },
    ]);
  const { stages } = await compiler.validate(source, {}, asked);
  const cut = cutOf(source);
  if (cut !== undefined)
    refuse([{ path: 'source', message: `\`${cut}\` would leave out rows, so the numbers would be wrong. Remove it.` }]);
  const signalName = /^\s*([a-z]+)\b/.exec(rows.normalized)?.[1] ?? '';
  if (unit === 'trace_id' && !withTraces.includes(signalName))
    refuse([
      {
        path: 'unit',
        message: `Rows of \`${signalName}\` have no trace_id, so no row would ever join to a unit. Name an attribute with the unit's id, such as user.id.`,
      },
    ]);
  for (const [path, text] of [
    ['unit', unit],
    ['value', value],
    ['denominator', denominator],
    ...steps.map((step, i) => [`steps.${i}`, step]),
  ] as const)
    if (path !== undefined && text !== undefined)
      await checkExpression(compiler, { source, stages, path, text }, asked);

  const relation = await compiler.compileRelation(rowsQuery(metric), { ...options, prefix: 'p', rows: true }, asked);
  if (!relation.ok) throw invalid(relation.diagnostics, 'source');
  refuse(typeIssues(metric, new Map(relation.values.map(({ name, type }) => [name, type]))));
}

/** The string must be a single expression over the source's rows. */
async function checkExpression(
  compiler: Gateway['compiler'],
  { source, stages, path, text }: { source: string; stages: number; path: string; text: string },
  asked: { workspace: number; signal: AbortSignal },
): Promise<void> {
  const {
    valid,
    diagnostics,
    stages: with_,
  } = await compiler.validate(`${source}\n| extend fanion_checked=(${text}\n)`, {}, asked);
  if (!valid) throw invalid(diagnostics, path);
  // A string that closes the parenthesis could add more stages or columns.
  const alone = await compiler.validate(`${source}\n| where ((${text}\n) == (${text}\n) or true)`, {}, asked);
  if (with_ !== stages + 1 || alone.stages !== stages + 1 || !isExpression(text))
    throw fail('OQL_INVALID', { reason: message(path) }, { details: [{ path, message: message(path) }] });
}

function typeIssues(metric: MetricDefinition, types: ReadonlyMap<string, OqlType>): Issue[] {
  const named = rowColumns(metric);
  const issues: Issue[] = [];
  const number = (path: string, column: string | undefined) => {
    const type = column === undefined ? undefined : types.get(column);
    if (type !== undefined && !canBeNumber(type)) issues.push({ path, message: `must be a number; it is a ${type}` });
  };
  number('value', named.value);
  number('denominator', named.denominator);
  for (const [i, column] of named.steps.entries()) {
    const type = types.get(column);
    if (type !== 'bool') issues.push({ path: `steps.${i}`, message: 'must be a condition, such as name == "paid"' });
  }
  if (types.get(named.time) !== 'timestamp')
    issues.push({ path: 'source', message: 'its rows have no time: keep the field `time`' });
  return issues;
}

function message(path: string): string {
  return `${path} must be one expression, without further stages`;
}

function canBeNumber(type: OqlType): boolean {
  return type !== 'timestamp' && type !== 'null' && type !== 'map' && type !== 'array';
}

function refuse(issues: readonly Issue[]): void {
  const [first] = issues;
  if (first !== undefined)
    throw fail(
      'METRIC_INVALID',
      { reason: `${first.path}: ${first.message}` },
      { details: issues.map((one) => ({ ...one })) },
    );
}

function invalid(diagnostics: readonly Diagnostic[], path: string) {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  return fail(
    'OQL_INVALID',
    { reason: `${path}: ${first?.message ?? 'unknown'}` },
    { details: diagnostics.map((diagnostic) => ({ path, ...diagnostic })) },
  );
}
