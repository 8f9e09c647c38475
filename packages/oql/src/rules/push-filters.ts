import type { Join, Plan } from '../plan/plan.ts';
import { all, type ColumnId, type Sql, sql } from '../sql/sql.ts';
import { columnsOf, offers, rewrite, substitute } from './columns.ts';

type Distinct = Extract<Plan, { readonly op: 'distinct' }>;
type Aggregate = Extract<Plan, { readonly op: 'aggregate' }>;
type Extend = Extract<Plan, { readonly op: 'extend' }>;
type Sort = Extract<Plan, { readonly op: 'sort' }>;

/**
 * Moves conditions to where the rows are read: into all inputs of a union, to the side of a join whose columns they use, and
 * below a node that keeps one row of each key, if they use only the key.
 */
export function pushFilters(plan: Plan): Plan {
  return rewrite(plan, (node) => (node.op === 'filter' ? push(node.predicate, node.input) : node));
}

function push(predicate: Sql, input: Plan): Plan {
  if (input.op === 'union') {
    const inputs = input.inputs.map((one, i) => {
      const values = new Map<ColumnId, Sql>(input.columns.map(({ id, values }) => [id, values[i] ?? predicate]));
      return push(substitute(predicate, values), one);
    });
    return { ...input, inputs };
  }
  if (input.op === 'join' && input.mode === 'inner') return pushIntoJoin(predicate, input);
  if (input.op === 'join' && input.mode === 'left' && input.lookup) return pushIntoLeft(predicate, input);
  if (input.op === 'distinct' && input.input.op === 'sort') return pushBelowDistinct(predicate, input, input.input);
  if (input.op === 'sort') return { ...input, input: push(predicate, input.input) };
  if (input.op === 'extend') return pushBelowExtend(predicate, input);
  if (input.op === 'aggregate' && input.alike) return pushBelowAggregate(predicate, input);
  return { op: 'filter', input, predicate };
}

/** A condition on values that are the same in all rows of a group filters the rows before they are grouped. */
function pushBelowAggregate(predicate: Sql, aggregate: Aggregate): Plan {
  const ofRows = new Map<ColumnId, Sql>(aggregate.keys.map(({ id, value }) => [id, value]));
  for (const { id, value } of aggregate.aggregates) {
    const [row] = value.kind === 'aggregate' ? value.args : [];
    if (row && aggregate.alike?.has(id)) ofRows.set(id, row);
  }
  const parts = conjuncts(predicate);
  const isOfRows = (part: Sql) => [...columnsOf(part)].every((id) => ofRows.has(id));
  const pushed = parts.filter(isOfRows).map((part) => substitute(part, ofRows));
  const rest = parts.filter((part) => !isOfRows(part));
  const plan: Plan = pushed.length > 0 ? { ...aggregate, input: push(all(pushed), aggregate.input) } : aggregate;
  return rest.length > 0 ? { op: 'filter', input: plan, predicate: all(rest) } : plan;
}

/** A condition on columns that were only renamed or passed through is evaluated before other columns are computed. */
function pushBelowExtend(predicate: Sql, extend: Extend): Plan {
  const names = new Map(extend.columns.flatMap(({ id, value }) => (value.kind === 'column' ? [[id, value]] : [])));
  const computed = new Set(extend.columns.flatMap(({ id, value }) => (value.kind === 'column' ? [] : [id])));
  const parts = conjuncts(predicate);
  const isComputed = (part: Sql) => [...columnsOf(part)].some((id) => computed.has(id));
  const below = parts.filter((part) => !isComputed(part)).map((part) => substitute(part, names));
  const rest = parts.filter(isComputed);
  const pushed: Plan = below.length > 0 ? { ...extend, input: push(all(below), extend.input) } : extend;
  return rest.length > 0 ? { op: 'filter', input: pushed, predicate: all(rest) } : pushed;
}

/** A condition on the key matches all rows of a key or none, so it can filter before the rows are deduplicated. */
function pushBelowDistinct(predicate: Sql, distinct: Distinct, sort: Sort): Plan {
  const own = distinct.by.flatMap((key) => (key.kind === 'column' ? [key.id] : []));
  const keys = new Set([...own, ...(distinct.follows ?? [])]);
  const isOfKey = (part: Sql) => {
    const columns = [...columnsOf(part)];
    return columns.length > 0 && columns.every((id) => keys.has(id));
  };
  const parts = conjuncts(predicate);
  const below = parts.filter(isOfKey);
  const rest = parts.filter((part) => !isOfKey(part));
  const input = below.length > 0 ? { ...sort, input: push(all(below), sort.input) } : sort;
  const pushed: Plan = { ...distinct, input };
  return rest.length > 0 ? { op: 'filter', input: pushed, predicate: all(rest) } : pushed;
}

function pushIntoJoin(predicate: Sql, join: Join): Plan {
  const left: Sql[] = [];
  const right: Sql[] = [];
  const rest: Sql[] = [];
  const offered = { left: offers(join.left), right: offers(join.right) };
  for (const part of conjuncts(predicate)) {
    const columns = [...columnsOf(part)];
    if (columns.length > 0 && columns.every((id) => offered.left.has(id))) left.push(part);
    else if (columns.length > 0 && columns.every((id) => offered.right.has(id))) right.push(part);
    else rest.push(part);
  }
  let pushed: Join = join;
  if (right.length > 0) {
    pushed = { ...pushed, right: push(all(right), pushed.right) };
    // The rows of the left are found by their key. Otherwise all are read, and the join drops most of them.
    const [on] = pushed.on;
    if (pushed.lookup && on?.right.kind === 'column') {
      left.push(sql`(${on.left} IN ${{ kind: 'query', plan: pushed.right, columns: [on.right.id], asSet: true }})`);
    }
  }
  if (left.length > 0) pushed = { ...pushed, left: push(all(left), pushed.left) };
  return rest.length > 0 ? { op: 'filter', input: pushed, predicate: all(rest) } : pushed;
}

/** In a join that may find no partner, a condition on the left side alone is evaluated before the join. */
function pushIntoLeft(predicate: Sql, join: Join): Plan {
  const offered = offers(join.left);
  const isLeft = (part: Sql) => {
    const columns = [...columnsOf(part)];
    return columns.length > 0 && columns.every((id) => offered.has(id));
  };
  const parts = conjuncts(predicate);
  const left = parts.filter(isLeft);
  const rest = parts.filter((part) => !isLeft(part));
  const input: Join = left.length > 0 ? { ...join, left: push(all(left), join.left) } : join;
  return rest.length > 0 ? { op: 'filter', input, predicate: all(rest) } : input;
}

/** The parts of `a AND b`. */
export function conjuncts(predicate: Sql): readonly Sql[] {
  if (predicate.kind !== 'text' || predicate.args.length < 2) return [predicate];
  const [open, ...between] = predicate.parts;
  const isAnd = open === '(' && between.at(-1) === ')' && between.slice(0, -1).every((part) => part === ' AND ');
  return isAnd ? predicate.args.flatMap(conjuncts) : [predicate];
}
