import type { SloIndicator } from '@fanion/contract';
import type { Diagnostic } from '@fanion/oql';
import { fail } from '../../../platform/fail.ts';
import { type Gateway, scopeToCompile } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { parseQuery, ruleProblem } from '../../telemetry/promql/index.ts';
import { checkedCondition } from '../../telemetry/query/index.ts';
import { onlyValue } from '../budget/index.ts';
import { eventsQuery, stepOf } from './indicator-rules.ts';
import { expressionsOf, isPromql, issueOf, type PromqlIndicator } from './promql-rules.ts';

/** Throws `OQL_INVALID` or `PROMQL_INVALID` for a query that does not compile, and `SLO_INVALID` for one that counts nothing. */
export async function checkIndicator(
  { compiler }: Pick<Gateway, 'compiler'>,
  scope: TelemetryScope,
  indicator: SloIndicator,
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<void> {
  if (isPromql(indicator)) return checkExpressions(indicator);
  const toNs = BigInt(nowMs) * 1_000_000n;
  const options = { scope: scopeToCompile(scope), window: { fromNs: toNs - 3_600_000_000_000n, toNs }, nowNs: toNs };
  const asked = { workspace: scope.workspace, signal };

  async function relation(text: string, path: string) {
    const bucketNs = BigInt(stepOf(indicator)) * 1_000_000n;
    const compiled = await compiler.compileRelation(text, { ...options, prefix: 'p', bucketNs }, asked);
    if (!compiled.ok) throw invalid(compiled.diagnostics, path);
    return compiled;
  }
  async function number(text: string, path: string) {
    const value = onlyValue(await relation(text, path));
    if ('problem' in value) throw refused(path, value.problem);
  }

  switch (indicator.kind) {
    case 'events': {
      const { source, good } = indicator;
      const rows = await compiler.compile(source, { ...options, limit: 1 }, asked);
      if (!rows.ok) throw invalid(rows.diagnostics, 'indicator.source');
      if (rows.keys !== null)
        throw refused(
          'indicator.source',
          'The source returns groups. End it before `stats`: each of its rows is an event.',
        );
      const { stages } = await compiler.validate(source, {}, asked);
      await checkedCondition(source, good, 'indicator.good', { compiler, ...asked }, stages);
      await relation(eventsQuery(indicator), 'indicator.source');
      return;
    }
    case 'ratio':
      await number(indicator.good, 'indicator.good');
      await number(indicator.total, 'indicator.total');
      return;
    case 'slices':
      await number(indicator.query, 'indicator.query');
  }
}

function checkExpressions(indicator: PromqlIndicator): void {
  for (const { text, path } of expressionsOf(indicator)) {
    const expression = parseQuery(text, path);
    const problem = ruleProblem(expression) ?? issueOf(indicator.kind, expression);
    if (problem !== undefined) throw refused(path, problem);
  }
}

function invalid(diagnostics: readonly Diagnostic[], path: string) {
  const first = diagnostics.find(({ severity }) => severity === 'error');
  return fail(
    'OQL_INVALID',
    { reason: first?.message ?? 'unknown' },
    { details: diagnostics.map((diagnostic) => ({ path, ...diagnostic })) },
  );
}

function refused(path: string, message: string) {
  return fail('SLO_INVALID', { reason: message }, { details: [{ path, message }] });
}
