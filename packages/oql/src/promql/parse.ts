import { parser } from '@prometheus-io/lezer-promql';
import { type Expression, type Grouping, type Matcher, type Matching, NoEqual, type Selector } from './ast.ts';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

/** Longer queries are generated, and would take long to read. */
const maxCharacters = 16_384;
const maxDepth = 60;

/** @throws NoEqual for a query that is not valid, and for parts that OQL never has */
export function parsePromql(text: string): Expression {
  if (text.length > maxCharacters) throw new NoEqual(`the query has more than ${maxCharacters} characters`);
  const tree = parser.parse(text);
  let broken: number | undefined;
  tree.iterate({
    enter(node) {
      if (node.type.isError) broken ??= node.from;
    },
  });
  if (broken !== undefined)
    throw new NoEqual(`not valid PromQL near ${JSON.stringify(text.slice(broken, broken + 20))}`);
  const top = children(tree.topNode).filter(({ name }) => name !== 'LineComment')[0];
  if (top === undefined) throw new NoEqual('the query is empty');
  return expressionOf(top, text, 0);
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.name !== 'LineComment') found.push(child);
  return found;
}

const textOf = (node: SyntaxNode, text: string) => text.slice(node.from, node.to);

function expressionOf(node: SyntaxNode, text: string, depth: number): Expression {
  if (depth > maxDepth) throw new NoEqual('the query is nested too deeply');
  const inner = (child: SyntaxNode | undefined): Expression => {
    if (child === undefined) throw new NoEqual('the query is not complete');
    return expressionOf(child, text, depth + 1);
  };
  const parts = children(node);
  switch (node.name) {
    case 'ParenExpr':
      return inner(parts[0]);
    case 'NumberDurationLiteral':
      return { kind: 'number', value: numberOf(textOf(node, text)) };
    case 'StringLiteral':
      return { kind: 'text', value: stringOf(textOf(node, text)) };
    case 'VectorSelector':
      return selectorOf(parts, text);
    case 'MatrixSelector': {
      const of = inner(parts[0]);
      if (of.kind !== 'selector' || of.rangeSeconds !== undefined)
        throw new NoEqual('a range belongs behind a selector');
      const duration = parts[1];
      if (duration === undefined) throw new NoEqual('the range is missing');
      return { ...of, rangeSeconds: durationOf(textOf(duration, text)) };
    }
    case 'OffsetExpr': {
      const of = inner(parts[0]);
      const duration = parts.at(-1);
      if (of.kind !== 'selector' || duration === undefined) throw new NoEqual('an offset belongs behind a selector');
      return { ...of, offsetSeconds: durationOf(textOf(duration, text)) };
    }
    case 'UnaryExpr': {
      const of = inner(parts[1]);
      return textOf(node, text).startsWith('-') ? { kind: 'negative', of } : of;
    }
    case 'FunctionCall': {
      const [name, body] = parts;
      if (name === undefined || body === undefined) throw new NoEqual('the query is not complete');
      return { kind: 'call', fn: textOf(name, text), args: children(body).map(inner) };
    }
    case 'AggregateExpr': {
      const [op] = parts;
      const body = parts.find(({ name }) => name === 'FunctionCallBody');
      const modifier = parts.find(({ name }) => name === 'AggregateModifier');
      if (op === undefined || body === undefined) throw new NoEqual('the query is not complete');
      return {
        kind: 'aggregate',
        op: textOf(op, text).toLowerCase(),
        grouping: groupingOf(modifier, text),
        args: children(body).map(inner),
      };
    }
    case 'BinaryExpr':
      return binaryOf(parts, text, inner);
    case 'SubqueryExpr':
      throw new NoEqual('OQL has no subqueries over time, as in `[1h:5m]`');
    case 'StepInvariantExpr':
      throw new NoEqual('OQL has no @ modifier');
    default:
      throw new NoEqual(`OQL has no equal of ${node.name}`);
  }
}

function binaryOf(
  parts: readonly SyntaxNode[],
  text: string,
  inner: (child: SyntaxNode | undefined) => Expression,
): Expression {
  const op = parts[1];
  if (op === undefined) throw new NoEqual('the query is not complete');
  const fill = parts.find(({ name }) => name === 'FillModifier');
  if (fill !== undefined) throw new NoEqual('OQL has no fill modifiers');
  const clause = parts.find(({ name }) => name === 'MatchingModifierClause');
  const isBool = parts.some(({ name }) => name === 'BoolModifier');
  const matching = clause && matchingOf(clause, text);
  const left = inner(parts[0]);
  // The grammar reads the sign with the number, and Prometheus after the power: -2 ^ 2 is -4.
  if (parts[0]?.name === 'NumberDurationLiteral' && textOf(op, text) === '^' && textOf(parts[0], text).startsWith('-'))
    return {
      kind: 'negative',
      of: { kind: 'binary', op: '^', bool: isBool, left: { kind: 'negative', of: left }, right: inner(parts.at(-1)) },
    };
  return {
    kind: 'binary',
    op: textOf(op, text).toLowerCase(),
    bool: isBool,
    ...(matching && { matching }),
    left,
    right: inner(parts.at(-1)),
  };
}

function matchingOf(clause: SyntaxNode, text: string): Matching {
  const parts = children(clause);
  const lists = parts.filter(({ name }) => name === 'GroupingLabels').map((list) => labelsOf(list, text));
  const side = parts.some(({ name }) => name === 'GroupLeft')
    ? 'left'
    : parts.some(({ name }) => name === 'GroupRight')
      ? 'right'
      : undefined;
  return {
    mode: parts[0]?.name === 'On' ? 'on' : 'ignoring',
    labels: lists[0] ?? [],
    ...(side && { group: { side, include: lists[1] ?? [] } }),
  };
}

function groupingOf(modifier: SyntaxNode | undefined, text: string): Grouping {
  if (modifier === undefined) return { mode: 'by', labels: [] };
  const [mode, list] = children(modifier);
  return { mode: mode?.name === 'Without' ? 'without' : 'by', labels: list === undefined ? [] : labelsOf(list, text) };
}

function labelsOf(list: SyntaxNode, text: string): string[] {
  return children(list).map((label) => labelName(textOf(label, text)));
}

function labelName(written: string): string {
  const name = /^["'`]/.test(written) ? stringOf(written) : written;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new NoEqual(`the label ${JSON.stringify(name)} needs quotes in PromQL`);
  return name;
}

function selectorOf(parts: readonly SyntaxNode[], text: string): Selector {
  const name = parts.find((part) => part.name === 'Identifier');
  const list = parts.find((part) => part.name === 'LabelMatchers');
  let metric = name === undefined ? undefined : textOf(name, text);
  const matchers: Matcher[] = [];
  for (const item of list === undefined ? [] : children(list)) {
    if (item.name === 'QuotedLabelName') {
      metric = stringOf(textOf(item, text));
      continue;
    }
    const [label, op, value] = children(item);
    if (label === undefined || op === undefined || value === undefined) throw new NoEqual('a matcher is not complete');
    const matcher = {
      label: labelName(textOf(label, text)),
      op: matchOperator(textOf(op, text)),
      value: stringOf(textOf(value, text)),
    };
    if (matcher.label !== '__name__') matchers.push(matcher);
    else if (matcher.op === '=' && metric === undefined) metric = matcher.value;
    else throw new NoEqual('it selects several metrics by name');
  }
  if (metric === undefined || metric === '') throw new NoEqual('a selector names no metric');
  return { kind: 'selector', metric, matchers, offsetSeconds: 0 };
}

function matchOperator(text: string): Matcher['op'] {
  if (text === '=' || text === '!=' || text === '=~' || text === '!~') return text;
  throw new NoEqual(`${text} is not a matcher`);
}

/** Go's numbers and durations: `0x1f`, `1e3`, `5m`, `1_000`. */
function numberOf(text: string): number {
  const plain = text.replaceAll('_', '').replace(/\s/g, '');
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[+-]/, '');
  if (/^inf$/i.test(digits)) return sign * Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(digits)) return Number.NaN;
  // In PromQL a leading zero means octal only in integers that Go would read so.
  if (/^0[0-7]+$/.test(digits)) return sign * Number.parseInt(digits, 8);
  const value = Number(digits);
  if (!Number.isNaN(value)) return sign * value;
  return sign * durationOf(digits);
}

const units: Readonly<Record<string, number>> = {
  y: 31_536_000,
  w: 604_800,
  d: 86_400,
  h: 3_600,
  m: 60,
  s: 1,
  ms: 0.001,
};

/** Seconds of a duration; expressions such as `step()` have no equal. */
function durationOf(text: string): number {
  const plain = text.trim();
  const sign = plain.startsWith('-') ? -1 : 1;
  const digits = plain.replace(/^[+-]\s*/, '');
  if (/^\d+(\.\d+)?$/.test(digits)) return sign * Number(digits);
  if (!/^(\d+(y|w|d|h|ms|m|s))+$/.test(digits)) throw new NoEqual(`OQL has no equal of the duration ${plain}`);
  let seconds = 0;
  for (const [, amount = '0', unit = ''] of digits.matchAll(/(\d+)(ms|[ywdhms])/g))
    seconds += Number(amount) * (units[unit] ?? 0);
  return sign * seconds;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };

/** A Go string literal. */
function stringOf(literal: string): string {
  const inner = literal.slice(1, -1);
  if (literal.startsWith('`')) return inner;
  return inner.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs,
    (_, hex?: string, short?: string, long?: string, octal?: string, other = '') => {
      const code = hex ?? short ?? long;
      // Bytes above ASCII are parts of a character in Go, and a character here.
      if (
        (hex !== undefined && Number.parseInt(hex, 16) > 127) ||
        (octal !== undefined && Number.parseInt(octal, 8) > 127)
      )
        throw new NoEqual('a text contains escaped bytes');
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return escapes[other] ?? other;
    },
  );
}
