import { TraceqlError } from './error.ts';
import { maxPicked } from './metrics.ts';
import { joined, negated, numberOf, type Value } from './metrics-values.ts';
import { type Part, type Precedence, treeOf } from './syntax.ts';
import { callAt, closing, isSign, type Token } from './tokens.ts';
import type { FilterOperator, Metric, MetricsExpression, MetricsOperator, SecondStage, Stage } from './tree.ts';

/**
 * Metrics queries, what follows their functions, and arithmetic between them (`pkg/traceql/expr.y` of Tempo after 3.0; Tempo
 * 2.8 has only `topk` and `bottomk`).
 */

/** What the grammar reads of one metrics query. */
export interface ParsedQuery {
  readonly stages: readonly Stage[];
  readonly metric: Metric | undefined;
}

interface Reader {
  readonly text: string;
  parse(query: string): ParsedQuery;
}

/** Queries of one expression: the store answers each. */
const maxQueries = 8;
/** Stages that follow one metric. */
const maxAfter = 8;
/** Brackets around each other, and signs before each other. */
const maxNested = 50;

const metricsFunctions: ReadonlySet<string> = new Set([
  ...['rate', 'count_over_time', 'min_over_time', 'max_over_time', 'avg_over_time', 'sum_over_time'],
  ...['quantile_over_time', 'histogram_over_time', 'compare'],
]);
const picks: ReadonlySet<string> = new Set(['topk', 'bottomk']);
const filterOperators: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=']);
const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*', '/']);

/** The metrics that a query computes; undefined: it is a search. @throws {TraceqlError} */
export function metricsIn(tokens: readonly Token[], reader: Reader): MetricsExpression | undefined {
  if (callAt(tokens, metricsFunctions) !== undefined) return queryOf(tokens, reader);
  if (!tokens.some((_, at) => isMetricsCall(tokens, at))) return undefined;
  const end = endOfExpression(tokens);
  const value = readValue(tokens.slice(0, end), reader, 0);
  if (value.kind !== 'query' && value.kind !== 'arithmetic')
    throw new TraceqlError('a metrics query compares its values with a number on the right');
  const after = [...value.after, ...secondStages(tokens.slice(end), reader)];
  if (queriesIn(value) > maxQueries) throw new TraceqlError(`an expression has at most ${maxQueries} metrics queries`);
  return { ...value, after: checkedAfter(value, after) };
}

function isMetricsCall(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return token?.kind === 'word' && metricsFunctions.has(token.text) && isSign(tokens[at + 1], '(');
}

/** Stages, a metrics function, and what follows it. */
function queryOf(tokens: readonly Token[], reader: Reader): MetricsExpression & { readonly kind: 'query' } {
  const call = callAt(tokens, metricsFunctions) ?? 0;
  let end = closing(tokens, call + 1);
  if (tokens[end + 1]?.text === 'by' && isSign(tokens[end + 2], '(')) end = closing(tokens, end + 2);
  const { stages, metric } = reader.parse(textOf(tokens.slice(0, end + 1), reader));
  if (metric === undefined) throw new TraceqlError('a metrics function stands alone after a pipe');
  const query = { kind: 'query', stages, metric, after: [] } as const;
  return { ...query, after: checkedAfter(query, secondStages(tokens.slice(end + 1), reader)) };
}

function checkedAfter(of: MetricsExpression, after: readonly SecondStage[]): readonly SecondStage[] {
  if (after.length > maxAfter) throw new TraceqlError(`at most ${maxAfter} stages may follow a metric`);
  if (of.kind === 'query' && of.metric.kind === 'compare' && after.some(({ kind }) => kind === 'filter'))
    throw new TraceqlError('a comparison cannot follow compare()');
  return after;
}

function textOf(tokens: readonly Token[], { text }: Reader): string {
  return text.slice(tokens[0]?.from ?? 0, tokens.at(-1)?.to ?? 0);
}

function queriesIn(of: MetricsExpression): number {
  if (of.kind === 'query') return 1;
  return of.kind === 'number' ? 0 : queriesIn(of.left) + queriesIn(of.right);
}

/** `| topk(5)`, `| bottomk(5)` and `> 10`. */
function secondStages(tokens: readonly Token[], reader: Reader): SecondStage[] {
  const found: SecondStage[] = [];
  for (let at = 0; at < tokens.length; ) {
    const end = at + 1 + endOfExpression(tokens.slice(at + 1));
    const [first, ...rest] = tokens.slice(at, end);
    if (isSign(first, '|')) found.push(pickOf(rest));
    else if (first?.kind === 'sign' && filterOperators.has(first.text))
      found.push({ kind: 'filter', operator: first.text as FilterOperator, value: boundOf(rest, reader) });
    else throw misplaced(tokens.slice(at), reader);
    at = end;
  }
  return found;
}

function misplaced(tokens: readonly Token[], reader: Reader): TraceqlError {
  if (tokens[0]?.kind === 'sign' && arithmetic.has(tokens[0].text))
    return new TraceqlError(
      'arithmetic needs brackets around each metrics query: ({ status = error } | rate()) / ({ } | rate())',
    );
  return new TraceqlError(`parse error near ${JSON.stringify(textOf(tokens, reader).slice(0, 20))}`);
}

/** Where the next second stage begins. */
function endOfExpression(tokens: readonly Token[]): number {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (isSign(token, '(')) at = closing(tokens, at);
    else if (isSign(token, '|') || (token?.kind === 'sign' && filterOperators.has(token.text))) return at;
  }
  return tokens.length;
}

function pickOf([name, open, number, close, ...rest]: readonly Token[]): SecondStage {
  if (name?.kind === 'word' && metricsFunctions.has(name.text))
    throw new TraceqlError('a query has one metrics function');
  if (name === undefined || !picks.has(name.text))
    throw new TraceqlError('only topk and bottomk may follow a metrics function');
  const count = /^\d+$/.test(number?.text ?? '') ? Number(number?.text) : Number.NaN;
  const isCall = isSign(open, '(') && isSign(close, ')') && rest.length === 0;
  if (!isCall || !(count >= 1 && count <= maxPicked))
    throw new TraceqlError(`topk and bottomk take a number from 1 to ${maxPicked}`);
  return { kind: name.text === 'topk' ? 'topk' : 'bottomk', count };
}

/** The right side of a comparison; a duration in seconds, as the values of metrics are. */
function boundOf(tokens: readonly Token[], reader: Reader): number {
  const value = readValue(tokens, reader, 0);
  if (value.kind === 'int' || value.kind === 'float') return Number(value.value);
  if (value.kind === 'duration') return Number(value.nanoseconds) / 1e9;
  throw new TraceqlError('a metrics query compares its values with a number, not with another query');
}

const precedence: Precedence<Value> = {
  level: (operator) => ({ '+': 1, '-': 1, '*': 2, '/': 2 })[operator],
  prefixLevel: () => 3,
  isRight: () => false,
  join: (operator, left, right) => joined(operator as MetricsOperator, left, right),
  prefixed: (_, operand) => negated(operand),
};

/** A number, a metrics query in brackets, or arithmetic of these. */
function readValue(tokens: readonly Token[], reader: Reader, depth: number): Value {
  if (depth > maxNested) throw new TraceqlError('it is nested too deeply');
  const parts: Part<Value>[] = [];
  let signs = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    const last = parts.at(-1);
    const isOperand = last === undefined || !('operand' in last);
    if (token?.kind === 'sign' && arithmetic.has(token.text) && !isOperand) parts.push({ operator: token.text });
    else if (isOperand && isSign(token, '-')) {
      if (++signs > maxNested) throw new TraceqlError('it is nested too deeply');
      parts.push({ prefix: '-' });
    } else if (isOperand && isSign(token, '(')) {
      const end = closing(tokens, at);
      if (end === tokens.length) throw new TraceqlError('a bracket is not closed');
      parts.push({ operand: bracketed(tokens.slice(at + 1, end), reader, depth) });
      at = end;
    } else if (isOperand && token?.kind === 'number') parts.push({ operand: numberOf(token.text) });
    else throw unexpected(tokens.slice(at), reader);
  }
  return treeOf(parts, precedence);
}

function bracketed(tokens: readonly Token[], reader: Reader, depth: number): Value {
  if (callAt(tokens, metricsFunctions) !== undefined) return queryOf(tokens, reader);
  const inner = endOfExpression(tokens);
  if (inner < tokens.length && tokens.some((_, at) => isMetricsCall(tokens, at)))
    throw new TraceqlError('topk, bottomk and comparisons of a combined metric stand after all brackets');
  return readValue(tokens, reader, depth + 1);
}

function unexpected(tokens: readonly Token[], reader: Reader): TraceqlError {
  const [token] = tokens;
  if (token?.kind === 'filter')
    return new TraceqlError(
      'arithmetic needs brackets around each metrics query: ({ status = error } | rate()) / ({ } | rate())',
    );
  if (token?.kind === 'sign' && /^[%^]$/.test(token.text))
    return new TraceqlError(`metrics have the operators +, -, * and /, not ${token.text}`);
  return new TraceqlError(`parse error near ${JSON.stringify(textOf(tokens, reader).slice(0, 20))}`);
}
