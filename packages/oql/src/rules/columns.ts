import type { Definition, Plan, Scan } from '../plan/plan.ts';
import type { ColumnId, Sql } from '../sql/sql.ts';

/** Adds every column that an expression reads. A sub-query reads no columns of the query around it. */
export function columnsOf(expression: Sql, into: Set<ColumnId> = new Set()): Set<ColumnId> {
  switch (expression.kind) {
    case 'column':
      into.add(expression.id);
      break;
    case 'text':
    case 'aggregate':
      for (const arg of expression.args) columnsOf(arg, into);
      break;
    case 'query':
    case 'parameter':
      break;
  }
  return into;
}

/** The expressions of one node. */
export function expressionsOf(plan: Plan): readonly Sql[] {
  switch (plan.op) {
    case 'scan':
    case 'limit':
      return [];
    case 'filter':
      return [plan.predicate];
    case 'extend':
    case 'window':
    case 'unnest':
      return plan.columns.map((column) => column.value);
    case 'aggregate':
      return [...plan.keys, ...(plan.finer?.keys ?? []), ...plan.aggregates].map((column) => column.value);
    case 'sort':
      return plan.orders.map((order) => order.value);
    case 'distinct':
      return plan.by;
    case 'union':
      return plan.columns.flatMap((column) => column.values);
    case 'join': {
      const keys = plan.on.flatMap(({ left, right }) => [left, right]);
      return plan.condition ? [...keys, plan.condition] : keys;
    }
    case 'fill':
      return [plan.step, ...plan.keys].map((id) => ({ kind: 'column', id }));
  }
}

/** The nodes that a node reads from. */
export function inputsOf(plan: Plan): readonly Plan[] {
  switch (plan.op) {
    case 'scan':
      return [];
    case 'union':
      return plan.inputs;
    case 'join':
      return [plan.left, plan.right];
    default:
      return [plan.input];
  }
}

/** The same node over other inputs. */
export function withInputs(plan: Plan, inputs: readonly Plan[]): Plan {
  const [first, second] = inputs;
  switch (plan.op) {
    case 'scan':
      return plan;
    case 'union':
      return { ...plan, inputs };
    case 'join':
      return first && second ? { ...plan, left: first, right: second } : plan;
    default:
      return first ? { ...plan, input: first } : plan;
  }
}

/** Rebuilds every node of the plan from the leaves up, also in sub-queries of expressions. */
export function rewrite(plan: Plan, rule: (plan: Plan) => Plan): Plan {
  return rule(
    withInputs(
      plan,
      inputsOf(plan).map((input) => rewrite(input, rule)),
    ),
  );
}

/** The scans that a plan reads from, without those of its sub-queries. */
export function scansOf(plan: Plan): readonly Scan[] {
  return plan.op === 'scan' ? [plan] : inputsOf(plan).flatMap(scansOf);
}

/** Whether a plan reads at most `most` tables, including sub-queries in its conditions. */
export function readsAtMost(plan: Plan, most: number): boolean {
  return countTables(plan, most) <= most;
}

/** Stops counting after `most`: a plan may contain the same part many times. */
function countTables(plan: Plan, most: number): number {
  if (plan.op === 'scan') return 1;
  let tables = 0;
  for (const input of inputsOf(plan)) {
    tables += countTables(input, most - tables);
    if (tables > most) return tables;
  }
  for (const expression of expressionsOf(plan)) {
    tables += tablesIn(expression, most - tables);
    if (tables > most) return tables;
  }
  return tables;
}

function tablesIn(expression: Sql, most: number): number {
  if (expression.kind === 'query') return countTables(expression.plan, most);
  if (expression.kind !== 'text' && expression.kind !== 'aggregate') return 0;
  let tables = 0;
  for (const arg of expression.args) {
    tables += tablesIn(arg, most - tables);
    if (tables > most) return tables;
  }
  return tables;
}

/** The columns that a plan provides to the nodes above it. */
export function offers(plan: Plan): ReadonlySet<ColumnId> {
  switch (plan.op) {
    case 'scan':
      return new Set(plan.columns.values());
    case 'aggregate':
      return new Set([...plan.keys, ...plan.aggregates].map((column) => column.id));
    case 'union':
      return new Set(plan.columns.map((column) => column.id));
    case 'join':
      return new Set([...offers(plan.left), ...offers(plan.right)]);
    case 'extend':
    case 'window':
    case 'unnest':
      return new Set([...offers(plan.input), ...plan.columns.map((column) => column.id)]);
    default:
      return offers(plan.input);
  }
}

/** A plan with all sub-queries in the expressions of its nodes replaced. */
export function mapQueries(plan: Plan, map: (query: Subquery) => Plan): Plan {
  const within = (expression: Sql): Sql => {
    switch (expression.kind) {
      case 'query':
        return { ...expression, plan: map(expression) };
      case 'text':
      case 'aggregate':
        return expression.args.some(holdsQuery) ? { ...expression, args: expression.args.map(within) } : expression;
      default:
        return expression;
    }
  };
  const defined = (columns: readonly Definition[]) =>
    columns.map((column) => ({ ...column, value: within(column.value) }));
  return rewrite(plan, (node) => {
    switch (node.op) {
      case 'filter':
        return { ...node, predicate: within(node.predicate) };
      case 'extend':
      case 'window':
      case 'unnest':
        return { ...node, columns: defined(node.columns) };
      case 'aggregate': {
        const finer = node.finer && { ...node.finer, keys: defined(node.finer.keys) };
        return { ...node, keys: defined(node.keys), aggregates: defined(node.aggregates), ...(finer ? { finer } : {}) };
      }
      case 'distinct':
        return { ...node, by: node.by.map(within) };
      case 'union':
        return { ...node, columns: node.columns.map(({ id, values }) => ({ id, values: values.map(within) })) };
      case 'join': {
        const on = node.on.map(({ left, right }) => ({ left: within(left), right: within(right) }));
        return { ...node, on, ...(node.condition ? { condition: within(node.condition) } : {}) };
      }
      case 'sort':
        return { ...node, orders: node.orders.map((order) => ({ ...order, value: within(order.value) })) };
      default:
        return node;
    }
  });
}

function holdsQuery(expression: Sql): boolean {
  if (expression.kind === 'query') return true;
  return (expression.kind === 'text' || expression.kind === 'aggregate') && expression.args.some(holdsQuery);
}

export type Subquery = Extract<Sql, { readonly kind: 'query' }>;

/** An expression with columns replaced by their values. */
export function substitute(expression: Sql, values: ReadonlyMap<ColumnId, Sql>): Sql {
  switch (expression.kind) {
    case 'column':
      return values.get(expression.id) ?? expression;
    case 'text':
    case 'aggregate':
      return { ...expression, args: expression.args.map((arg) => substitute(arg, values)) };
    default:
      return expression;
  }
}
