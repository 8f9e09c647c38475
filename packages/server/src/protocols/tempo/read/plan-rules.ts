import type { Tree } from '@fanion/oql';
import { columnOf } from './column-rules.ts';
import { computedValue, conditionOf } from './condition-rules.ts';
import { all, bool, field, inQuery, keep, pipeline, some, where } from './oql-tree.ts';
import { fieldsIn, relatedStages } from './related-rules.ts';
import { writtenField } from './traceql/fields.ts';
import type { Expression, Field, Scalar, Spanset, Stage } from './traceql/tree.ts';

/** What the store computes of each span for the stages of a search. */
export interface SearchPlan {
  readonly stages: readonly Stage[];
  /** A trace without a span that meets it is not an answer. */
  readonly needed: Tree.Expression;
  /** The only condition on spans, where no span depends on others. */
  readonly simple: Tree.Expression | undefined;
  /** Columns of conditions and values by the expressions of the query that they compute. */
  readonly columns: ReadonlyMap<Expression, number>;
  readonly values: readonly Tree.Expression[];
  /** The stages that these need before them. */
  readonly related: readonly Tree.Stage[];
  /** Fields that the answer shows, and their columns. */
  readonly shown: readonly { readonly key: string; readonly column: number }[];
  /** Whether the answer numbers the spans of a trace. */
  readonly numbers: readonly NestedSet[];
}

export type NestedSet = 'nestedSetParent' | 'nestedSetLeft' | 'nestedSetRight';
const nestedSets: ReadonlySet<string> = new Set(['nestedSetParent', 'nestedSetLeft', 'nestedSetRight']);

export function planOf(stages: readonly Stage[]): SearchPlan {
  const columns = new Map<Expression, number>();
  const values: Tree.Expression[] = [];
  const read: Field[] = [];
  const add = (value: Tree.Expression) => values.push(value) - 1;
  eachStage(stages, {
    condition: (one) => void columns.set(one, add(conditionOf(one))),
    value: (one) => {
      columns.set(one, add(computedValue(one)));
      read.push(...fieldsIn(one));
    },
  });
  const fields = distinct(shownFields(stages));
  const numbers = fields.flatMap((one) => (isNestedSet(one) ? [one.name] : []));
  const shown = fields.flatMap((one) => (isShown(one) ? [{ key: keyOf(one), column: add(columnOf(one)) }] : []));
  read.push(...fields);
  const [first, ...rest] = stages;
  const isSimple =
    first?.kind === 'spanset' &&
    first.spanset.kind === 'filter' &&
    numbers.length === 0 &&
    rest.every(({ kind }) => kind === 'select');
  return {
    stages,
    needed: neededBy(stages),
    simple: isSimple && first.spanset.kind === 'filter' ? conditionOf(first.spanset.condition) : undefined,
    columns,
    values,
    related: relatedStages(read),
    shown,
    numbers,
  };
}

interface Visitor {
  condition(expression: Expression): void;
  value(expression: Expression): void;
}

function eachStage(stages: readonly Stage[], visitor: Visitor): void {
  for (const stage of stages)
    switch (stage.kind) {
      case 'spanset':
        eachFilter(stage.spanset, visitor);
        break;
      case 'by':
        visitor.value(stage.key);
        break;
      case 'scalar':
        eachAggregate(stage.left, visitor);
        eachAggregate(stage.right, visitor);
        break;
    }
}

function eachFilter(spanset: Spanset, visitor: Visitor): void {
  switch (spanset.kind) {
    case 'filter':
      visitor.condition(spanset.condition);
      break;
    case 'operation':
      eachFilter(spanset.left, visitor);
      eachFilter(spanset.right, visitor);
      break;
    case 'pipeline':
      eachStage(spanset.stages, visitor);
  }
}

function eachAggregate(scalar: Scalar, visitor: Visitor): void {
  switch (scalar.kind) {
    case 'aggregate':
      if (scalar.aggregate.fn !== 'count') visitor.value(scalar.aggregate.of);
      break;
    case 'negative':
      eachAggregate(scalar.operand, visitor);
      break;
    case 'arithmetic':
      eachAggregate(scalar.left, visitor);
      eachAggregate(scalar.right, visitor);
  }
}

function neededBy([first]: readonly Stage[]): Tree.Expression {
  return first?.kind === 'spanset' ? neededFor(first.spanset) : bool(true);
}

/** A condition that a span of each matching trace meets. */
function neededFor(spanset: Spanset): Tree.Expression {
  switch (spanset.kind) {
    case 'filter':
      return conditionOf(spanset.condition);
    case 'pipeline':
      return neededBy(spanset.stages);
    case 'operation': {
      const { operator, left, right } = spanset;
      if (operator === '||') return some(neededFor(left), neededFor(right));
      if (operator.startsWith('!')) return neededFor(right);
      return all(neededFor(right), inTraceOf(neededFor(left)));
    }
  }
}

/** Whether a span of the same trace meets a condition. */
export function inTraceOf(condition: Tree.Expression): Tree.Expression {
  return inQuery(field('trace_id'), pipeline('spans', where(condition), keep('trace_id')));
}

/** The fields of conditions and of `select`: what a table of spans shows. */
function shownFields(stages: readonly Stage[]): Field[] {
  const found: Field[] = [];
  const collect = (expression: Expression) => void found.push(...fieldsIn(expression));
  eachStage(stages, { condition: collect, value: collect });
  const selected = stages.flatMap((stage) => (stage.kind === 'select' ? stage.fields : []));
  // What is selected must be shown or refused; fields of conditions are left out where they have no single value.
  return [...selected, ...found.filter((one) => isShown(one) && hasValue(one))];
}

const isNestedSet = (one: Field): one is Field & { readonly name: NestedSet } =>
  one.kind === 'intrinsic' && nestedSets.has(one.name);

/** Every span of an answer has its name, times and ids anyway. */
const always: ReadonlySet<string> = new Set(['name', 'duration', 'trace:id', 'span:id']);

function isShown(one: Field): boolean {
  return one.kind === 'attribute' || !(always.has(one.name) || isNestedSet(one));
}

function hasValue(one: Field): boolean {
  if (one.kind === 'attribute') return one.scope !== 'event' && one.scope !== 'link' && one.isOfParent !== true;
  return (
    ['kind', 'status', 'statusMessage', 'span:parentID'].includes(one.name) || one.name.startsWith('instrumentation:')
  );
}

function keyOf(one: Field): string {
  if (one.kind === 'attribute') return one.isOfParent ? writtenField(one) : one.name;
  return one.name === 'span:childCount' ? 'childCount' : one.name;
}

function distinct(fields: readonly Field[]): Field[] {
  return [...new Map(fields.map((one) => [writtenField(one), one])).values()];
}
