import type { SyntaxNode } from '@lezer/common';
import { TraceqlError, unsupported } from './error.ts';
import { expressionOf, fieldOf } from './fields.ts';
import { childrenOf, type Source, textOf } from './syntax.ts';
import type { Field, Metric } from './tree.ts';

/** Most values or series that a function picks. */
export const maxPicked = 1_000;

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
    case 'MetricsOperationCompare':
      return compareOf(children, source);
  }
  throw unsupported(`the metrics function ${textOf(node, source)}`);
}

/** As in Tempo: ten values of each attribute, and any time, unless it says otherwise. */
function compareOf([filter, ...rest]: readonly SyntaxNode[], source: Source): Metric {
  const [condition] = filter === undefined ? [] : childrenOf(filter);
  const [top = 10n, fromNs = 0n, toNs = 0n] = rest.map((number) => BigInt(textOf(number, source)));
  if (top < 1n || top > maxPicked)
    throw new TraceqlError(`compare() takes a number of values from 1 to ${maxPicked}, not ${top}`);
  const hasTimes = fromNs !== 0n || toNs !== 0n;
  if (hasTimes && !(fromNs > 0n && toNs > fromNs))
    throw new TraceqlError('the times of compare() are nanoseconds since 1970: a start, and an end after it');
  return {
    kind: 'compare',
    selection:
      condition === undefined
        ? { kind: 'static', static: { type: 'bool', value: true } }
        : expressionOf(condition, source),
    top: Number(top),
    selected: hasTimes ? { fromNs, toNs } : undefined,
  };
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
