import type { CompiledRelation } from '@fanion/oql';
import { mapInSlices } from '../../breath.ts';
import { scopeToCompile, type TelemetryScope } from '../../scoped-telemetry.ts';
import { boundParameters } from '../plan/bound-parameters.ts';
import type { Compiler } from '../plan/compiler.ts';
import { invalidQuery } from '../plan/invalid-query.ts';
import type { Around, Budget, Related, RelationQuestion } from '../question.ts';
import type { Reads } from './reads.ts';

/** Runs a statement around queries: see `Gateway.relate`. */
export async function relate<Row extends object, Name extends string>(
  { clickhouse, limits, fenced, pass }: Reads,
  { compiler, nowNs }: { readonly compiler: Compiler; readonly nowNs: bigint },
  scope: TelemetryScope,
  questions: Readonly<Record<Name, RelationQuestion>>,
  around: (relations: Readonly<Record<Name, CompiledRelation>>) => Around,
  budget: Budget,
): Promise<Related<Row, Name>> {
  const { signal } = budget;
  const named = Object.entries(questions) as [Name, RelationQuestion][];
  const compiled = await Promise.all(
    named.map(async ([name, { oql, ...question }]) => {
      // The values of a relation are numbered after its name: `a_1` and `ab_1` never meet.
      const options = { ...question, scope: scopeToCompile(scope), nowNs, prefix: `${name}_` };
      const result = await compiler.compileRelation(oql, options, { workspace: scope.workspace, signal });
      if (!result.ok) throw invalidQuery(result.diagnostics);
      return [name, result] as const;
    }),
  );
  const relations = Object.fromEntries(compiled) as Record<Name, CompiledRelation>;
  const { sql, params, settings: ownSettings } = around(relations);
  const applied = { ...limits, ...budget.limits };
  const values = compiled.map(([, relation]) => boundParameters(relation.params));
  const settings = compiled.map(([, relation]) => relation.settings);
  return pass(scope, budget, applied, async ({ signal, queryId }) => {
    const answer = await clickhouse.query(sql, {
      params: Object.assign({ ...scope, ...params }, ...values),
      settings: Object.assign({}, ...settings, ownSettings, await fenced(scope)),
      limits: applied,
      signal,
      queryId: queryId(),
    });
    const rows = await mapInSlices(
      answer.rows,
      (row) => Object.fromEntries(answer.columns.map(({ name }, at) => [name, row[at]])) as Row,
    );
    return { rows, relations, cost: answer.cost };
  });
}
