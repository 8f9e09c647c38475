import type { SyntaxNode } from '@lezer/common';
import { TraceqlError, unsupported } from './error.ts';
import { expressionOf, fieldOf } from './fields.ts';
import { childrenOf, type Source, textOf } from './syntax.ts';
import type { Field, Metric, Pick } from './tree.ts';

const maxPicked = 1_000;

/** A metrics function, from the child of a `MetricsOperation`. */
export function metricOf(node: SyntaxNode, source: Source): Metric {
  const children = childrenOf(node);
  const group = children.find(({ name }) => name === 'GroupOperation');
  const by = group === undefined ? [] : childrenOf(group).map((key) => keyOf(key, source));
  const of = () =>
    measuredOf(
      children.find(({ name }) => name === 'MetricsExpression'),
      source,
    );
  const [first] = children;
  switch (node.name) {
    case 'MetricsOperationBasic':
      return { kind: first !== undefined && textOf(first, source) === 'rate' ? 'rate' : 'count_over_time', by };
    case 'MetricsOperationHistogram':
      return { kind: 'histogram_over_time', of: of(), by };
    case 'MetricsOverTime':
      return { kind: textOf(first ?? node, source) as 'min_over_time', of: of(), by };
    case 'MetricsOperationQuantile': {
      const [measured, ...levels] = childrenOf(first ?? node);
      return {
        kind: 'quantile_over_time',
        of: measuredOf(measured, source),
        levels: levels.map((level) => levelOf(textOf(level, source))),
        by,
      };
    }
    case 'MetricsOperationCompare': {
      const [condition] = childrenOf(first ?? node);
      if (condition === undefined) throw new TraceqlError('compare() needs a condition');
      const numbers = children.slice(1).map((number) => Number(textOf(number, source)));
      return { kind: 'compare', selection: expressionOf(condition, source), numbers };
    }
  }
  throw unsupported(`the metrics function ${textOf(node, source)}`);
}

function keyOf(node: SyntaxNode, source: Source): Field {
  const expression = expressionOf(node, source);
  if (expression.kind !== 'field') throw unsupported('by() of anything but fields');
  return expression.field;
}

function measuredOf(node: SyntaxNode | undefined, source: Source): Field {
  const [field] = node === undefined ? [] : childrenOf(node);
  if (field === undefined) throw new TraceqlError('a metrics function needs a field');
  return fieldOf(field, source);
}

function levelOf(text: string): number {
  const level = Number(text);
  if (!(level >= 0 && level <= 1)) throw new TraceqlError(`a quantile is between 0 and 1, not ${text}`);
  return level;
}

export function pickOf(node: SyntaxNode, source: Source): Pick {
  const [fn, number] = childrenOf(node);
  const count = Number(number === undefined ? Number.NaN : textOf(number, source));
  if (fn === undefined || !(count >= 1 && count <= maxPicked))
    throw new TraceqlError(`topk and bottomk take a number from 1 to ${maxPicked}`);
  return { kind: textOf(fn, source) === 'topk' ? 'topk' : 'bottomk', count };
}
