import { type Aggregate, quantileAggregate, SPREADS } from './aggregates.ts';
import { type Expression, type Grouping, NoEqual } from './ast.ts';
import { computed, unfiltered } from './computed.ts';
import type { Context } from './context.ts';
import { constantOf } from './expressions.ts';
import { grouped, groupLabels } from './grouping.ts';
import { noBound, ungroupedOf } from './series.ts';
import type { Vector } from './vector.ts';

const aggregates: Readonly<Record<string, Aggregate>> = {
  sum: { of: 'sum(value)' },
  avg: { of: 'avg(value)' },
  min: { of: 'min(value)' },
  max: { of: 'max(value)' },
  count: { of: 'count()' },
  group: { of: 'count()' },
  ...SPREADS,
};

export function aggregated(context: Context, expression: Extract<Expression, { kind: 'aggregate' }>): Vector {
  const { op, grouping, args } = expression;
  const of = args.at(-1);
  if (of === undefined) throw new NoEqual(`${op} needs a vector`);
  if (op === 'topk' || op === 'bottomk') return top(context, op, grouping, args, of);
  const level = op === 'quantile' && args[0] !== undefined ? constantOf(args[0]) : undefined;
  const aggregate =
    op === 'quantile' ? quantileAggregate(level) : Object.hasOwn(aggregates, op) ? aggregates[op] : undefined;
  if (aggregate === undefined) throw new NoEqual(`OQL has no equal of ${op}`);
  const points = ungroupedOf(of);
  const inner = points === undefined ? unfiltered(context, context.vectorOf(of)) : undefined;
  const labels = groupLabels(context, grouping, inner?.labels);
  if (points?.areBuckets && !labels.includes('le')) throw noBound(points.metric);
  const vector = grouped(context, points?.stages ?? inner?.stages ?? [], aggregate, labels, points !== undefined);
  return op === 'group' ? computed(context, vector, '1') : vector;
}

function top(
  context: Context,
  op: 'topk' | 'bottomk',
  grouping: Grouping,
  args: readonly Expression[],
  of: Expression,
): Vector {
  const k = args.length < 2 || args[0] === undefined ? undefined : constantOf(args[0]);
  if (k === undefined || !Number.isInteger(k) || k < 1) throw new NoEqual(`${op} needs a whole number`);
  if (grouping.labels.length > 0) throw new NoEqual(`OQL has no ${op} within groups`);
  const { stages, labels } = unfiltered(context, context.vectorOf(of));
  return { stages: [...stages, `top ${k} by ${op === 'topk' ? '' : '-'}value`], labels };
}
