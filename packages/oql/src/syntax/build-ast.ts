import type { SyntaxNode, Tree } from '@lezer/common';
import type * as Ast from './ast.ts';
import { childExpressions, definitionOf, numberOf, pathOf } from './build-expression.ts';
import { child, children, firstChild, keywordsOf, rangeOf, type Text } from './cursor.ts';
import { parseString, parseTimestamp } from './literals.ts';

/** The AST of a tree without errors. A stage inside one of the `masked` ranges becomes a `broken` one. */
export function buildAst(tree: Tree, source: string, masked: readonly Ast.Range[] = []): Ast.Query {
  const text: Text = { source, masked, pipeline: (node) => buildPipeline(node, text) };
  const top = tree.topNode;
  const range = child(top, 'TimeRange');
  return {
    kind: 'query',
    ...rangeOf(top),
    lets: children(top, 'Let').map((node) => ({
      ...rangeOf(node),
      name: definitionOf(node, text) ?? { ...rangeOf(node), text: '' },
      pipeline: buildPipeline(child(node, 'Pipeline') ?? node, text),
    })),
    ...(range ? { range: buildTimeRange(range, text) } : {}),
    pipeline: buildPipeline(child(top, 'Pipeline') ?? top, text),
  };
}

function buildTimeRange(node: SyntaxNode, text: Text): Ast.TimeRange {
  const points: Ast.TimePoint[] = [];
  for (let at = node.firstChild; at; at = at.nextSibling) {
    if (at.name === 'now') points.push({ kind: 'now', ...rangeOf(at) });
    if (at.name === 'Timestamp') {
      const nanoseconds = parseTimestamp(text.source.slice(at.from, at.to)) ?? 0n;
      points.push({ kind: 'timestamp', nanoseconds, ...rangeOf(at) });
    }
    if (at.name === 'RelativeTime') points.push({ kind: 'ago', amount: numberOf(at, text, 0), ...rangeOf(at) });
  }
  const [from = { kind: 'now', ...rangeOf(node) }, to] = points;
  return { ...rangeOf(node), from, ...(to ? { to } : {}) };
}

const SOURCE_NODES: ReadonlySet<string> = new Set(['Source', 'NameRef', 'ParenSource']);

export function buildPipeline(node: SyntaxNode, text: Text): Ast.Pipeline {
  const stages: Ast.Stage[] = [];
  let source: Ast.Source = { kind: 'signal', signal: 'logs', ...rangeOf(node) };
  for (let at = node.firstChild; at; at = at.nextSibling) {
    if (SOURCE_NODES.has(at.name)) source = buildSource(at, text);
    else if (at.name !== '|' && at.name !== 'LineComment' && at.name !== 'BlockComment')
      stages.push(buildStage(at, text));
  }
  return { ...rangeOf(node), source, stages };
}

function buildSource(node: SyntaxNode, text: Text): Ast.Source {
  const range = rangeOf(node);
  if (node.name === 'NameRef')
    return { kind: 'named', name: { ...range, text: text.source.slice(node.from, node.to) }, ...range };
  if (node.name === 'ParenSource') {
    return { kind: 'pipeline', pipeline: buildPipeline(child(node, 'Pipeline') ?? node, text), ...range };
  }
  const path = child(node, 'Path');
  const string = child(node, 'String');
  const name = path
    ? pathOf(path, text).segments.join('.')
    : string
      ? parseString(text.source.slice(string.from, string.to))
      : '';
  switch (node.firstChild?.name) {
    case 'metric':
      if (string && child(node, '=~')) return { kind: 'matching', pattern: name, at: rangeOf(string), ...range };
      return { kind: 'metric', metric: name, ...range };
    case 'exemplars':
      return { kind: node.firstChild.name, metric: name, ...range };
    case 'metrics':
    case 'fields':
    case 'changes':
      return { kind: node.firstChild.name, ...range };
    case 'profiles':
      return { kind: 'profiles', profile: name, ...range };
    case 'flags':
      return { kind: 'flags', flag: name, ...range };
    case 'spans':
    case 'traces':
    case 'events':
    case 'links':
    case 'logs':
      return { kind: 'signal', signal: node.firstChild.name, ...range };
    default:
      // Keywords have lower-case names. A keyword missing above must not be read as another source.
      if (/^[a-z]/.test(node.firstChild?.name ?? ''))
        throw new Error(`the syntax tree has an unknown source: ${node.firstChild?.name}`);
      // A syntax error, already reported. The stages after it are still checked, as for the most common source.
      return { kind: 'signal', signal: 'logs', ...range };
  }
}

function buildAliased(node: SyntaxNode, text: Text): Ast.Aliased {
  const alias = child(node, 'Alias');
  const [value] = childExpressions(node, text);
  return {
    ...rangeOf(node),
    ...(alias ? { alias: { ...rangeOf(alias), text: text.source.slice(alias.from, alias.to) } } : {}),
    value: value ?? { kind: 'null', ...rangeOf(node) },
  };
}

function buildBy(node: SyntaxNode, text: Text): Ast.Aliased[] {
  const by = child(node, 'By');
  return by ? children(by, 'Key').map((key) => buildAliased(key, text)) : [];
}

function zoneOf(node: SyntaxNode, text: Text): { zone?: Ast.ZoneName } {
  const string = child(node, 'String');
  return string ? { zone: { ...rangeOf(string), text: parseString(text.source.slice(string.from, string.to)) } } : {};
}

function withoutOf(node: SyntaxNode, text: Text): { without?: Ast.Path[] } {
  const without = child(node, 'Without');
  return without ? { without: children(without, 'Path').map((path) => pathOf(path, text)) } : {};
}

function groupsOf(node: SyntaxNode, text: Text): Ast.Path[] {
  const within = child(node, 'Within');
  return within ? children(within, 'Path').map((path) => pathOf(path, text)) : [];
}

function buildParseFormat(node: SyntaxNode, text: Text): Ast.ParseFormat {
  const words = keywordsOf(node);
  if (words.has('json')) return { kind: 'json' };
  if (words.has('logfmt')) return { kind: 'logfmt' };
  const string = child(node, 'String') ?? node;
  const kind = words.has('regex') ? 'regex' : 'pattern';
  return { kind, text: parseString(text.source.slice(string.from, string.to)), range: rangeOf(string) };
}

function buildStage(node: SyntaxNode, text: Text): Ast.Stage {
  const range = rangeOf(node);
  if (text.masked.some((mask) => mask.start <= node.from && node.from < mask.end)) return { kind: 'broken', ...range };
  const one = (): Ast.Expression => childExpressions(node, text)[0] ?? { kind: 'null', ...range };
  const paths = () => children(node, 'Path').map((path) => pathOf(path, text));
  const path = (): Ast.Path => paths()[0] ?? { kind: 'path', segments: [], ...range };
  const words = keywordsOf(node);
  const optional = <K extends string>(key: K, index: number) => numberField(node, text, key, index);
  switch (node.name) {
    case 'Where':
      if (words.has('for')) return { kind: 'held', predicate: one(), duration: numberOf(node, text, 1), ...range };
      return { kind: 'where', predicate: one(), ...range };
    case 'Match':
      return { kind: 'match', nodes: shapeNodes(node, text), operators: shapeOperators(node, text), ...range };
    case 'Extend':
      return buildExtend(node, text);
    case 'Fields':
      return { kind: 'fields', paths: paths(), ...range };
    case 'Omit':
      return { kind: 'omit', paths: paths(), ...range };
    case 'Dedup':
      return { kind: 'dedup', paths: paths(), ...range };
    case 'Parse':
      return { kind: 'parse', source: path(), format: buildParseFormat(node, text), ...range };
    case 'Patterns':
      return { kind: 'patterns', ...(child(node, 'Path') ? { field: path() } : {}), by: buildBy(node, text), ...range };
    case 'Range':
      return { kind: 'range', fn: rangeFunction(words), ...optional('duration', 0), ...range };
    case 'Trend':
      return buildTrend(node, text, words);
    case 'Offset':
      return { kind: 'offset', duration: numberOf(node, text, 0), ...range };
    case 'Promrate': {
      const fn = words.has('promrate') ? 'promrate' : 'promincrease';
      return { kind: 'promrate', fn, ...optional('duration', 0), ...range };
    }
    case 'Stats':
      return buildStats(node, text);
    case 'AggStage':
      return buildAggregateStage(node, text);
    case 'Fill':
      return buildFill(node, text, words);
    case 'Compare':
      return { kind: 'compare', offset: numberOf(node, text, 0), ...zoneOf(node, text), ...range };
    case 'Contrast':
      return { kind: 'contrast', predicate: one(), ...contrastTop(node, text), ...range };
    case 'Join':
      return buildJoin(node, text);
    case 'Sort':
      return buildSort(node, text);
    case 'Top':
      return buildTop(node, text, words);
    case 'Limit':
      return { kind: 'limit', count: numberOf(node, text, 0), ...optional('offset', 1), ...range };
    case 'Sample':
      return { kind: 'sample', fraction: numberOf(node, text, 0), ...range };
    case 'Union':
      return { kind: 'union', sources: sourcesOf(node).map((source) => buildSource(source, text)), ...range };
    case 'Funnel':
      return buildFunnel(node, text);
    case 'Flame':
      return { kind: 'flame', ...optional('diff', 0), ...range };
    case 'Context':
      return { kind: 'context', ...sidesOf(node, text, words), ...range };
    case 'Concurrency':
      return buildConcurrency(node, text);
    default:
      return { kind: 'broken', ...range };
  }
}

function buildExtend(node: SyntaxNode, text: Text): Ast.Stage {
  const assignments = children(node, 'Assign').map((assign) => buildAssign(assign, text));
  return { kind: 'extend', assignments, within: groupsOf(node, text), ...rangeOf(node) };
}

function buildTrend(node: SyntaxNode, text: Text, words: ReadonlySet<string>): Ast.Stage {
  const duration = (index: number) => numberField(node, text, 'duration', index);
  if (words.has('predict'))
    return { kind: 'trend', fn: 'predict', ahead: numberOf(node, text, 0), ...duration(1), ...rangeOf(node) };
  const fn = words.has('irate') ? 'irate' : words.has('deriv') ? 'deriv' : 'latest';
  return { kind: 'trend', fn, ...duration(0), ...rangeOf(node) };
}

function buildStats(node: SyntaxNode, text: Text): Ast.Stage {
  const aggregates = children(node, 'Agg').map((aggregate) => buildAliased(aggregate, text));
  return { kind: 'stats', aggregates, by: buildBy(node, text), ...withoutOf(node, text), ...rangeOf(node) };
}

function buildFill(node: SyntaxNode, text: Text, words: ReadonlySet<string>): Ast.Stage {
  const fill = words.has('prev') ? 'prev' : words.has('linear') ? 'linear' : fillLiteral(node, text);
  return { kind: 'fill', fill, ...rangeOf(node) };
}

function buildSort(node: SyntaxNode, text: Text): Ast.Stage {
  const orders = children(node, 'Order').flatMap((order) => childExpressions(order, text));
  return { kind: 'sort', orders, ...rangeOf(node) };
}

function buildTop(node: SyntaxNode, text: Text, words: ReadonlySet<string>): Ast.Stage {
  return {
    kind: 'top',
    count: numberOf(node, text, 0),
    by: lastExpression(node, text),
    within: groupsOf(node, text),
    other: words.has('other'),
    ...rangeOf(node),
  };
}

function buildConcurrency(node: SyntaxNode, text: Text): Ast.Stage {
  return {
    kind: 'concurrency',
    width: numberOf(node, text, 0),
    ...numberField(node, text, 'over', 1),
    by: buildBy(node, text),
    ...rangeOf(node),
  };
}

/** `context 5`, `context 5 before`, `context 5 after`, `context 5 before 2 after` */
function sidesOf(
  node: SyntaxNode,
  text: Text,
  words: ReadonlySet<string>,
): { before?: Ast.NumberLiteral; after?: Ast.NumberLiteral } {
  const first = numberOf(node, text, 0);
  if (words.has('before')) return { before: first, ...(words.has('after') ? { after: numberOf(node, text, 1) } : {}) };
  return words.has('after') ? { after: first } : { before: first, after: first };
}

function numberField<K extends string>(
  node: SyntaxNode,
  text: Text,
  key: K,
  index: number,
): { [P in K]?: Ast.NumberLiteral } {
  const literals = childExpressions(node, text);
  const found: { [P in K]?: Ast.NumberLiteral } = {};
  if (literals.length > index) found[key] = numberOf(node, text, index);
  return found;
}

function contrastTop(node: SyntaxNode, text: Text): { top?: Ast.NumberLiteral } {
  return keywordsOf(node).has('top') ? { top: numberOf(node, text, 1) } : {};
}

function lastExpression(node: SyntaxNode, text: Text): Ast.Expression {
  return childExpressions(node, text).at(-1) ?? { kind: 'null', ...rangeOf(node) };
}

function rangeFunction(words: ReadonlySet<string>): Ast.RangeFunction {
  if (words.has('rate')) return 'rate';
  return words.has('increase') ? 'increase' : 'delta';
}

function fillLiteral(node: SyntaxNode, text: Text): Ast.Expression {
  const operand = lastExpression(node, text);
  return child(node, '-') ? { kind: 'negate', operand, ...rangeOf(node) } : operand;
}

function buildAssign(node: SyntaxNode, text: Text): Ast.Assignment {
  const target = firstChild(node);
  return {
    ...rangeOf(node),
    target: target ? pathOf(target, text) : { kind: 'path', segments: [], ...rangeOf(node) },
    value: lastExpression(node, text),
  };
}

function buildAggregateStage(node: SyntaxNode, text: Text): Ast.Stage {
  const name = child(node, 'Func') ?? node;
  const args = child(node, 'Args');
  return {
    kind: 'aggregate',
    name: { ...rangeOf(name), text: text.source.slice(name.from, name.to) },
    ...(args
      ? { args: { ...rangeOf(args), star: child(args, 'Star') !== undefined, items: childExpressions(args, text) } }
      : {}),
    by: buildBy(node, text),
    ...withoutOf(node, text),
    ...rangeOf(node),
  };
}

function sourcesOf(node: SyntaxNode): SyntaxNode[] {
  const sources: SyntaxNode[] = [];
  for (let at = node.firstChild; at; at = at.nextSibling) if (SOURCE_NODES.has(at.name)) sources.push(at);
  return sources;
}

function buildFunnel(node: SyntaxNode, text: Text): Ast.Stage {
  const by = child(node, 'Key');
  return {
    kind: 'funnel',
    by: buildAliased(by ?? node, text),
    within: numberOf(node, text, 0),
    steps: shapeNodes(node, text),
    ...rangeOf(node),
  };
}

function buildJoin(node: SyntaxNode, text: Text): Ast.Stage {
  const words = keywordsOf(node);
  const source = sourcesOf(node).at(-1);
  const alias = definitionOf(node, text);
  return {
    kind: 'join',
    mode: words.has('left') ? 'left' : words.has('anti') ? 'anti' : 'inner',
    source: buildSource(source ?? node, text),
    on: children(node, 'Path').map((path) => pathOf(path, text)),
    ...(words.has('within') ? { within: withinOf(node, text) } : {}),
    ...(alias ? { as: alias } : {}),
    ...rangeOf(node),
  };
}

function withinOf(node: SyntaxNode, text: Text): Ast.NumberLiteral {
  const numbers = childExpressions(node, text).filter((expression) => expression.kind !== 'path');
  const [within] = numbers;
  if (
    within &&
    (within.kind === 'duration' || within.kind === 'int' || within.kind === 'float' || within.kind === 'bytes')
  )
    return within;
  return { kind: 'invalid', ...rangeOf(node) };
}

function shapeNodes(node: SyntaxNode, text: Text): Ast.ShapeNode[] {
  return children(node, 'Node').map((shape) => {
    const name = definitionOf(shape, text);
    // `{}` is any span.
    const any: Ast.Expression = { kind: 'bool', value: true, ...rangeOf(shape) };
    const predicate = childExpressions(shape, text).at(-1) ?? any;
    return { ...rangeOf(shape), ...(name ? { name } : {}), predicate };
  });
}

function shapeOperators(node: SyntaxNode, text: Text): Ast.ShapeOperator[] {
  return children(node, 'ShapeOp').map((operator): Ast.ShapeOperator => {
    const written = text.source.slice(operator.from, operator.to);
    return written === '>' || written === '~' || written === '->' ? written : '>>';
  });
}
