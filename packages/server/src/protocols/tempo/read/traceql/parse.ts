import type { SyntaxNode } from '@lezer/common';
import { corrected } from './correct.ts';
import { TraceqlError, unsupported } from './error.ts';
import { expressionOf, staticOf } from './fields.ts';
import { hintsOf, splitHints } from './hints.ts';
import { metricOf } from './metrics.ts';
import { metricsIn, type ParsedQuery } from './metrics-expression.ts';
import {
  childrenOf,
  isBracketed,
  maxLength,
  type Part,
  type Precedence,
  type Source,
  syntaxOf,
  textOf,
  treeOf,
} from './syntax.ts';
import { tokensOf } from './tokens.ts';
import type { Expression, Metric, Scalar, Spanset, SpansetOperator, Stage, TraceqlQuery } from './tree.ts';

type Item = Stage | { readonly kind: 'metric'; readonly metric: Metric } | { readonly kind: 'pick' };

/** @throws {TraceqlError} */
export function parseTraceql(text: string): TraceqlQuery {
  if (text.length > maxLength) throw new TraceqlError(`a query has at most ${maxLength} characters`);
  const [tokens, written] = splitHints(tokensOf(text));
  const metrics = metricsIn(tokens, { text, parse: parseQuery });
  if (metrics !== undefined) return { stages: [], metrics, hints: hintsOf(written, 'metrics') };
  const { stages } = parseQuery(text.slice(0, written[0]?.from));
  return { stages, metrics: undefined, hints: hintsOf(written, 'search') };
}

/** The part of a query that the grammar reads: stages, and at most one metrics function after them. */
function parseQuery(text: string): ParsedQuery {
  const source: Source = { text: corrected(text) };
  const [root] = childrenOf(syntaxOf(source.text));
  if (root === undefined) throw new TraceqlError('the query is empty');
  const items = pipelineOf(root, source);
  const last = items.at(-1);
  const metric = last?.kind === 'metric' ? last.metric : undefined;
  const stages = (metric === undefined ? items : items.slice(0, -1)).map((item) => {
    if (item.kind === 'metric') throw new TraceqlError('only topk and bottomk may follow a metrics function');
    if (item.kind === 'pick') throw new TraceqlError('topk and bottomk need a metrics function before them');
    return item;
  });
  return { stages, metric };
}

/** The stages between the pipes. */
function pipelineOf(node: SyntaxNode, source: Source): Item[] {
  const items: Item[] = [];
  let chain: Part<Item>[] = [];
  const end = () => {
    const only = chain.length === 1 && chain[0] !== undefined && 'operand' in chain[0] ? chain[0].operand : undefined;
    items.push(only ?? { kind: 'spanset', spanset: treeOf(chain.map(asSpanset), spansetPrecedence) });
    chain = [];
  };
  for (const part of chainOf(node, source))
    if ('operator' in part && part.operator === '|') end();
    else chain.push(part);
  end();
  return items;
}

function asSpanset(part: Part<Item>): Part<Spanset> {
  if (!('operand' in part)) return part;
  if (part.operand.kind !== 'spanset') throw new TraceqlError('only sets of spans can be combined by an operator');
  return { operand: part.operand.spanset };
}

const operators = new Set(['And', 'Or', 'Gt', 'Lt', 'Desc', 'Anc', 'Pipe', 'ExperimentalOp', 'UnionStructuralOp']);

const spansetPrecedence: Precedence<Spanset> = {
  level: (operator) => (operator === '&&' || operator === '||' ? 1 : 2),
  prefixLevel: () => 0,
  isRight: () => false,
  join: (operator, left, right) => ({ kind: 'operation', operator: operator as SpansetOperator, left, right }),
  prefixed: (prefix) => {
    throw new TraceqlError(`unexpected ${prefix}`);
  },
};

function chainOf(node: SyntaxNode, source: Source): Part<Item>[] {
  const children = childrenOf(node);
  const [first, second] = children;
  if (first === undefined) throw new TraceqlError(`unexpected ${textOf(node, source)}`);
  if (node.name === 'WrappedSpansetPipeline' || isBracketed(node, children, source))
    return [{ operand: wrapped(pipelineOf(first, source)) }];
  if (children.length === 1)
    return node.name === 'SpansetPipeline' ? [{ operand: itemOf(first, source) }] : chainOf(first, source);
  const operator = children.find(({ name }) => operators.has(name));
  const last = children.at(-1) ?? first;
  // The grammar has no node for `~`.
  const written = operator === undefined ? '~' : textOf(operator, source);
  if (second === undefined || last === first) throw new TraceqlError(`unexpected ${textOf(node, source)}`);
  return [...chainOf(first, source), { operator: written }, ...chainOf(last, source)];
}

function wrapped(items: readonly Item[]): Stage {
  const stages = items.map((item) => {
    if (item.kind === 'metric' || item.kind === 'pick') throw unsupported('a metrics function in brackets');
    return item;
  });
  const [only] = stages;
  if (stages.length === 1 && only?.kind === 'spanset') return only;
  return { kind: 'spanset', spanset: { kind: 'pipeline', stages } };
}

function itemOf(node: SyntaxNode, source: Source): Item {
  const children = childrenOf(node);
  const [first] = children;
  switch (node.name) {
    case 'SpansetFilter':
      return { kind: 'spanset', spanset: { kind: 'filter', condition: conditionOf(node, source) } };
    case 'ScalarFilter':
      return scalarFilterOf(node, source);
    case 'GroupOperation': {
      if (children.length !== 1 || first === undefined) throw unsupported('by() with several fields between pipes');
      return { kind: 'by', key: expressionOf(first, source) };
    }
    case 'CoalesceOperation':
      return { kind: 'coalesce' };
    case 'SelectOperation':
      return { kind: 'select', fields: selectedBy(first, source) };
    case 'MetricsOperation':
      if (first === undefined) break;
      return { kind: 'metric', metric: metricOf(first, source) };
    case 'MetricsAggregatorFunctions':
      return { kind: 'pick' };
  }
  throw new TraceqlError(`unexpected ${textOf(node, source)}`);
}

/** The condition of `{ … }`. */
export function conditionOf(filter: SyntaxNode, source: Source): Expression {
  const [condition] = childrenOf(filter);
  return condition === undefined
    ? { kind: 'static', static: { type: 'bool', value: true } }
    : expressionOf(condition, source);
}

function selectedBy(args: SyntaxNode | undefined, source: Source) {
  const nodes: SyntaxNode[] = [];
  for (let rest = args; rest !== undefined; ) {
    const children = childrenOf(rest);
    const last = children.at(-1);
    if (last !== undefined) nodes.unshift(last);
    rest = children.length > 1 ? children[0] : undefined;
  }
  return nodes.map((node) => {
    const expression = expressionOf(node, source);
    if (expression.kind !== 'field') throw unsupported('select() of anything but fields');
    return expression.field;
  });
}

function scalarFilterOf(node: SyntaxNode, source: Source): Stage {
  const [left, operator, right] = childrenOf(node);
  if (left === undefined || operator === undefined || right === undefined)
    throw new TraceqlError(`unexpected ${textOf(node, source)}`);
  const written = textOf(operator, source);
  if (written === '=~' || written === '!~') throw new TraceqlError(`${written} compares no aggregates`);
  return {
    kind: 'scalar',
    operator: written as '=',
    left: treeOf(scalarParts(left, source), scalarPrecedence),
    right: treeOf(scalarParts(right, source), scalarPrecedence),
  };
}

const scalarLevels: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 3 };

const scalarPrecedence: Precedence<Scalar> = {
  level: (operator) => scalarLevels[operator],
  prefixLevel: () => 4,
  isRight: (operator) => operator === '^',
  join: (operator, left, right) => ({ kind: 'arithmetic', operator: operator as '+', left, right }),
  prefixed: (_, operand) => ({ kind: 'negative', operand }),
};

function scalarParts(node: SyntaxNode, source: Source): Part<Scalar>[] {
  const children = childrenOf(node);
  const [first, operator, second] = children;
  if (first === undefined) throw new TraceqlError(`unexpected ${textOf(node, source)}`);
  if (first.name === 'ScalarExpression' && isBracketed(node, children, source))
    return [{ operand: treeOf(scalarParts(first, source), scalarPrecedence) }];
  if (operator !== undefined && second !== undefined)
    return [...scalarParts(first, source), { operator: textOf(operator, source) }, ...scalarParts(second, source)];
  if (first.name === 'Aggregate') return [{ operand: aggregateOf(first, source) }];
  const number: Part<Scalar> = { operand: { kind: 'static', static: staticOf(first, source) } };
  return first.from > node.from ? [{ prefix: '-' }, number] : [number];
}

function aggregateOf(node: SyntaxNode, source: Source): Scalar {
  const [fn, of] = childrenOf(node);
  if (fn === undefined || of === undefined) return { kind: 'aggregate', aggregate: { fn: 'count' } };
  return {
    kind: 'aggregate',
    aggregate: { fn: textOf(fn, source) as 'min', of: expressionOf(of, source) },
  };
}
