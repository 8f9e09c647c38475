import { statementOf } from './analyse.ts';
import type { Checked } from './check/check.ts';
import type { Plan } from './plan/plan.ts';
import type { BoundParameter, Scope } from './print/print.ts';
import { aggregate, column, sql } from './sql/sql.ts';

/** A statement beside that of a query, which tells what its answer may lack. */
export interface StatementBeside {
  readonly sql: string;
  readonly params: Readonly<Record<string, BoundParameter>>;
}

/** The statement that counts series without an anchor; none of a text whose statement would be too long. */
export function anchorlessOf(text: string, checked: Checked, scope: Scope): StatementBeside | undefined {
  const { anchorless, fresh } = checked;
  const [first] = anchorless;
  if (first === undefined) return undefined;
  const [one, count] = [fresh(), fresh()];
  const columns = [{ id: one, values: anchorless.map(() => sql`toUInt8(1)`) }];
  const input: Plan = { op: 'union', inputs: anchorless, columns };
  const aggregates = [{ id: count, value: aggregate('sum', [column(one)]) }];
  const plan: Plan = { op: 'aggregate', input, keys: [], aggregates };
  const statement = statementOf(text, plan, [{ name: 'r1', value: column(count) }], { checked, scope });
  return 'code' in statement ? undefined : { sql: statement.sql, params: statement.params };
}

/** The statement that counts the rows that are counted by weights, and adds these up; none of a text whose statement would be too long. */
export function sampledOf(
  text: string,
  checked: Checked,
  scope: Scope,
): (StatementBeside & { readonly bySample: boolean }) | undefined {
  const { sampled, fresh } = checked;
  if (sampled.length === 0) return undefined;
  const [weight, rows, represented] = [fresh(), fresh(), fresh()];
  const columns = [{ id: weight, values: sampled.map((one) => sql`toFloat64(${one.weight})`) }];
  const input: Plan = { op: 'union', inputs: sampled.map(({ plan }) => plan), columns };
  const aggregates = [
    { id: rows, value: aggregate('count', []) },
    { id: represented, value: aggregate('sum', [column(weight)]) },
  ];
  const outputs = [
    { name: 'rows', value: column(rows) },
    { name: 'represented', value: column(represented) },
  ];
  const statement = statementOf(text, { op: 'aggregate', input, keys: [], aggregates }, outputs, { checked, scope });
  if ('code' in statement) return undefined;
  return { sql: statement.sql, params: statement.params, bySample: sampled.some(({ bySample }) => bySample) };
}
