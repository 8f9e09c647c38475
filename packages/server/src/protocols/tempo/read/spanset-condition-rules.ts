import type { Tree } from '@fanion/oql';
import { below, conditionOf } from './condition-rules.ts';
import { all, extend, inQuery, keep, match, not, pipeline, some, spanKey } from './oql-tree.ts';
import { inTraceOf } from './plan-rules.ts';
import { unsupported } from './traceql/error.ts';
import type { LogicalOperator, Spanset, SpansetOperator, Stage } from './traceql/tree.ts';

/**
 * Whether a pipeline selects a span, as a condition of OQL. Metrics need it: the store counts all spans of a window, of which
 * a search reads those of few traces.
 */
export function selectedBy(stages: readonly Stage[]): Tree.Expression {
  const conditions = stages.flatMap((stage) => {
    switch (stage.kind) {
      case 'spanset':
        return [spansetCondition(stage.spanset)];
      case 'select':
        return [];
      case 'scalar':
        throw unsupported('an aggregate of traces before a metrics function');
      default:
        throw unsupported(`${stage.kind}() before a metrics function`);
    }
  });
  // A relation after a pipe is about the spans that the stage before left.
  const isPlain = ({ kind }: Spanset) => kind === 'filter';
  const [first, ...rest] = stages.flatMap((stage) => (stage.kind === 'spanset' ? [stage.spanset] : []));
  if (first !== undefined && !rest.every(isPlain))
    throw unsupported('a second set of spans with operators before a metrics function');
  return all(...conditions);
}

function spansetCondition(spanset: Spanset): Tree.Expression {
  switch (spanset.kind) {
    case 'filter':
      return conditionOf(spanset.condition);
    case 'pipeline':
      return selectedBy(spanset.stages);
    case 'operation': {
      const [left, right] = [spansetCondition(spanset.left), spansetCondition(spanset.right)];
      if (spanset.operator === '&&') return all(some(left, right), inTraceOf(left), inTraceOf(right));
      if (spanset.operator === '||') return some(left, right);
      return related(spanset.operator, left, right);
    }
  }
}

function related(operator: Exclude<SpansetOperator, LogicalOperator>, left: Tree.Expression, right: Tree.Expression) {
  switch (operator) {
    case '>':
    case '>>':
    case '~':
      return below(left, operator, right);
    case '!>':
    case '!>>':
    case '!~':
      return all(right, not(below(left, operator === '!>' ? '>' : operator === '!~' ? '~' : '>>', right)));
    case '<':
      return above(right, left);
    case '!<':
      return all(right, not(above(right, left)));
    case '&>':
      return some(below(left, '>', right), above(left, right));
    case '&<':
      return some(above(right, left), below(right, '>', left));
    case '&~':
      return some(below(left, '~', right), below(right, '~', left));
    default:
      throw unsupported(`${operator} before a metrics function`);
  }
}

/** The parents of spans: each child has one, so a row for each child has all of them. */
function above(parents: Tree.Expression, children: Tree.Expression): Tree.Expression {
  return inQuery(
    spanKey(),
    pipeline(
      'spans',
      match(
        [
          ['a', parents],
          ['b', children],
        ],
        '>',
      ),
      extend([['key', spanKey('a')]]),
      keep('key'),
    ),
  );
}
