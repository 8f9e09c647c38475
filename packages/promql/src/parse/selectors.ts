import type { Position, VectorSelector } from '../ast.ts';
import { type LabelMatcher, METRIC_NAME } from '../labels.ts';
import { compilePattern } from '../pattern.ts';
import { parseError } from './fault.ts';
import { stringOf } from './literals.ts';
import { childrenOf, positionOf, type SyntaxNode } from './tree.ts';

export function selectorOf(node: SyntaxNode, text: string): VectorSelector {
  const parts = childrenOf(node);
  const name = parts.find((part) => part.name === 'Identifier');
  const list = parts.find((part) => part.name === 'LabelMatchers');
  const matchers = list === undefined ? [] : childrenOf(list).map((item) => matcherOf(item, text));
  const selector: VectorSelector = {
    kind: 'selector',
    ...(name && { metric: text.slice(name.from, name.to) }),
    matchers,
    shift: { offsetMs: 0 },
    position: positionOf(node, text),
  };
  checkMatchers(selector);
  return selector;
}

function matcherOf(item: SyntaxNode, text: string): LabelMatcher {
  if (item.name === 'QuotedLabelName')
    return {
      name: METRIC_NAME,
      op: '=',
      value: stringOf(text.slice(item.from, item.to), positionOf(item, text)),
    };
  const [label, op, value] = childrenOf(item);
  if (label === undefined || op === undefined || value === undefined)
    throw parseError('unexpected end of label matching', positionOf(item, text));
  const written = text.slice(label.from, label.to);
  const matcher = {
    name: label.name === 'QuotedLabelName' ? stringOf(written, positionOf(label, text)) : written,
    op: operatorOf(text.slice(op.from, op.to), positionOf(op, text)),
    value: stringOf(text.slice(value.from, value.to), positionOf(value, text)),
  };
  if (matcher.op === '=~' || matcher.op === '!~') {
    const pattern = compilePattern(matcher.value);
    if (typeof pattern === 'string') throw parseError(`error parsing regexp: ${pattern}`, positionOf(item, text));
  }
  return matcher;
}

function operatorOf(written: string, at: Position): LabelMatcher['op'] {
  if (written === '=' || written === '!=' || written === '=~' || written === '!~') return written;
  throw parseError(`unexpected ${JSON.stringify(written)} in label matching, expected label matching operator`, at);
}

/** A selector of all series is a mistake. */
function checkMatchers({ metric, matchers, position }: VectorSelector): void {
  if (metric !== undefined) {
    const second = matchers.find(({ name }) => name === METRIC_NAME);
    if (second !== undefined)
      throw parseError(
        `metric name must not be set twice: ${JSON.stringify(metric)} or ${JSON.stringify(second.value)}`,
        position,
      );
    return;
  }
  if (matchers.every(matchesEmpty))
    throw parseError('vector selector must contain at least one non-empty matcher', position);
}

function matchesEmpty({ op, value }: LabelMatcher): boolean {
  if (op === '=') return value === '';
  if (op === '!=') return value !== '';
  const pattern = compilePattern(value);
  return typeof pattern !== 'string' && pattern.matches('') === (op === '=~');
}
