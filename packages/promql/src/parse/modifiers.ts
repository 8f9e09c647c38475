import type { Expression, Position, Subquery, TimeShift, VectorSelector } from '../ast.ts';
import { shortText } from '../numbers.ts';
import { parseError } from './fault.ts';
import { numberOf } from './literals.ts';
import { childrenOf, positionOf, type SyntaxNode } from './tree.ts';

type Shifted = VectorSelector | Subquery;

/** `x[5m]` */
export function rangeOf(node: SyntaxNode, of: Expression, text: string): VectorSelector {
  const duration = childrenOf(node).find(({ name }) => name === 'DurationExpr');
  const brackets = { from: of.position.to, to: node.to, text };
  if (of.kind !== 'selector' || of.rangeMs !== undefined)
    throw parseError('ranges only allowed for vector selectors', brackets);
  if (of.shift.offsetMs !== 0) throw parseError('no offset modifiers allowed before range', brackets);
  if (of.shift.at !== undefined) throw parseError('no @ modifiers allowed before range', brackets);
  return { ...of, rangeMs: positiveMs(duration, text, brackets), position: { ...of.position, to: node.to } };
}

/** `x[1h:5m]` */
export function subqueryOf(node: SyntaxNode, of: Expression, text: string): Subquery {
  const [range, step] = childrenOf(node).filter(({ name }) => name === 'DurationExpr');
  const at = positionOf(node, text);
  return {
    kind: 'subquery',
    of,
    rangeMs: positiveMs(range, text, at),
    ...(step && { stepMs: positiveMs(step, text, at) }),
    shift: { offsetMs: 0 },
    position: { ...at, from: of.position.from },
  };
}

/** `x offset 5m` */
export function offsetOf(node: SyntaxNode, of: Expression, text: string): Shifted {
  const duration = childrenOf(node).find(({ name }) => name === 'OffsetDurationExpr');
  if (of.kind !== 'selector' && of.kind !== 'subquery')
    throw parseError(
      'offset modifier must be preceded by an instant vector selector or range vector selector or a subquery',
      of.position,
    );
  if (of.shift.offsetMs !== 0) throw parseError('offset may not be set multiple times', of.position);
  return withShift(of, { ...of.shift, offsetMs: durationMs(duration, text, positionOf(node, text)) }, node);
}

/** `x @ 1700000000`, `x @ start()` */
export function atOf(node: SyntaxNode, of: Expression, text: string): Shifted {
  const moment = childrenOf(node).at(-1);
  if (of.kind !== 'selector' && of.kind !== 'subquery')
    throw parseError(
      '@ modifier must be preceded by an instant vector selector or range vector selector or a subquery',
      of.position,
    );
  if (of.shift.at !== undefined) throw parseError('@ <timestamp> may not be set multiple times', of.position);
  if (moment?.name === 'AtModifierPreprocessors')
    return withShift(of, { ...of.shift, at: moment.firstChild?.name === 'AtEnd' ? 'end' : 'start' }, node);
  const written = moment === undefined ? '' : text.slice(moment.from, moment.to);
  const seconds = numberOf(written, positionOf(node, text));
  if (!Number.isFinite(seconds) || Math.abs(seconds) >= 2 ** 63)
    throw parseError(`timestamp out of bounds for @ modifier: ${shortText(seconds)}`, of.position);
  return withShift(of, { ...of.shift, at: Math.round(seconds * 1_000) }, node);
}

function withShift<T extends Shifted>(of: T, shift: TimeShift, node: SyntaxNode): T {
  return { ...of, shift, position: { ...of.position, to: node.to } };
}

function positiveMs(node: SyntaxNode | undefined, text: string, at: Position): number {
  const duration = durationMs(node, text, at);
  if (duration <= 0)
    throw parseError('duration must be greater than 0', node === undefined ? at : positionOf(node, text));
  return duration;
}

/** Milliseconds of a duration with an optional sign. Arithmetic and `step()` are experimental in Prometheus. */
function durationMs(node: SyntaxNode | undefined, text: string, at: Position): number {
  if (node === undefined) throw parseError('the duration is missing', at);
  const parts = childrenOf(node);
  const [first, second] = parts;
  if (first?.name === 'UnaryOp' && parts.length === 2) {
    const sign = text.slice(first.from, first.to) === '-' ? -1 : 1;
    return sign * durationMs(second, text, at);
  }
  if (
    first?.name === 'NumberDurationLiteralInDurationContext' &&
    parts.length === 1 &&
    !text.startsWith('(', node.from)
  ) {
    const seconds = numberOf(text.slice(first.from, first.to), positionOf(first, text));
    if (!(Math.abs(seconds) <= 2 ** 63 / 1e9)) throw parseError('duration out of range', positionOf(first, text));
    return Math.round(seconds * 1_000);
  }
  throw parseError('experimental duration expression is not enabled', positionOf(node, text));
}
