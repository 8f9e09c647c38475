import { type Expression, matchersOf, partsOf } from '@fanion/promql';

/** Groups of metrics whose series are compared or joined by all of their labels. */
export function joinedMetrics(expressions: readonly Expression[]): readonly ReadonlySet<string>[] {
  const groups = new Map<string, Set<string>>();
  const join = (names: readonly string[]) => {
    const all = new Set(names.flatMap((name) => [name, ...(groups.get(name) ?? [])]));
    for (const name of all) groups.set(name, all);
  };
  const visit = (expression: Expression): void => {
    if (expression.kind === 'binary' && expression.matching?.mode !== 'on') join(wholeMetrics(expression));
    for (const part of partsOf(expression)) visit(part);
  };
  for (const expression of expressions) visit(expression);
  return [...new Set(groups.values())];
}

const withOtherLabels = new Set(['absent', 'absent_over_time', 'label_replace', 'label_join', 'histogram_quantile']);

/** The metrics whose labels the results of an expression have. */
function wholeMetrics(expression: Expression): string[] {
  if (expression.kind === 'selector')
    return matchersOf(expression).flatMap(({ name, op, value }) => (name === '__name__' && op === '=' ? [value] : []));
  if (expression.kind === 'aggregate') return [];
  if (expression.kind === 'call' && withOtherLabels.has(expression.fn)) return [];
  if (expression.kind === 'binary' && expression.matching?.mode === 'on') {
    const { group } = expression.matching;
    return group === undefined ? [] : wholeMetrics(group.side === 'left' ? expression.left : expression.right);
  }
  return partsOf(expression).flatMap(wholeMetrics);
}
