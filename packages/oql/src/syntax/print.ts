import { KEYWORDS } from '../grammar/keywords.ts';
import type * as Ast from './ast.ts';
import { printBytes, printDuration, printMonths, printString, printTimestamp } from './literals.ts';

const keywords: ReadonlySet<string> = new Set(KEYWORDS);
const PLAIN_NAME = /^[\p{L}_@][\p{L}_@0-9]*$/u;

/** The normal form of a query: one line, single spaces, no redundant brackets. Parsing it gives the same tree. */
export function printQuery(query: Ast.Query): string {
  const lets = query.lets.map(({ name, pipeline }) => `let ${name.text} = (${printPipeline(pipeline)}); `);
  const { range } = query;
  const time = range ? `from ${printTime(range.from)}${range.to ? ` to ${printTime(range.to)}` : ''}; ` : '';
  return `${lets.join('')}${time}${printPipeline(query.pipeline)}`;
}

function printTime(point: Ast.TimePoint): string {
  if (point.kind === 'now') return 'now';
  return point.kind === 'ago' ? `-${printExpression(point.amount)}` : printTimestamp(point.nanoseconds);
}

export function printPipeline(pipeline: Ast.Pipeline): string {
  return [printSource(pipeline.source), ...pipeline.stages.map(printStage)].join(' | ');
}

export function printSource(source: Ast.Source): string {
  switch (source.kind) {
    case 'signal':
      return source.signal;
    case 'matching':
      return `metric =~ ${printString(source.pattern)}`;
    case 'metric':
    case 'exemplars':
      return `${source.kind} ${printDotted(source.metric)}`;
    case 'metrics':
    case 'fields':
    case 'changes':
      return source.kind;
    case 'profiles':
      return `profiles ${printDotted(source.profile, true)}`;
    case 'flags':
      return `flags ${printString(source.flag)}`;
    case 'named':
      return source.name.text;
    case 'pipeline':
      return `(${printPipeline(source.pipeline)})`;
  }
}

/** A metric's name as a path if it is a valid one, otherwise as a string (or quoted, where only a path is allowed). */
function printDotted(name: string, path = false): string {
  const segments = name.split('.');
  if (segments.every((segment) => PLAIN_NAME.test(segment))) return name;
  return path ? segments.map((segment) => printName(segment)).join('.') : printString(name);
}

export function printStage(stage: Ast.Stage): string {
  switch (stage.kind) {
    case 'where':
      return `where ${printExpression(stage.predicate)}`;
    case 'held':
      return `where ${printExpression(stage.predicate)} for ${printExpression(stage.duration)}`;
    case 'match':
      return `match ${stage.nodes.map((node, i) => `${i > 0 ? ` ${stage.operators[i - 1]} ` : ''}${printShape(node)}`).join('')}`;
    case 'extend':
      return `extend ${stage.assignments.map(({ target, value }) => `${printPath(target)} = ${printExpression(value)}`).join(', ')}${printWithin(stage.within)}`;
    case 'fields':
    case 'omit':
    case 'dedup':
      return `${stage.kind} ${list(stage.paths)}`;
    case 'parse':
      return `parse ${printPath(stage.source)} ${printFormat(stage.format)}`;
    case 'patterns':
      return `patterns${optional('', stage.field)}${printBy(stage.by)}`;
    case 'trend':
      return printTrend(stage);
    case 'offset':
      return `offset ${printExpression(stage.duration)}`;
    case 'range':
    case 'promrate':
      return `${stage.fn}${optional('', stage.duration)}`;
    case 'stats':
      return `stats ${stage.aggregates.map(printAliased).join(', ')}${printBy(stage.by)}${printWithout(stage.without)}`;
    case 'aggregate':
      return `${stage.name.text}${stage.args ? `(${stage.args.star ? '*' : list(stage.args.items)})` : ''}${printBy(stage.by)}${printWithout(stage.without)}`;
    case 'fill':
      return `fill ${typeof stage.fill === 'string' ? stage.fill : printExpression(stage.fill)}`;
    case 'compare':
      return `compare ${printExpression(stage.offset)}${stage.zone ? ` ${printString(stage.zone.text)}` : ''}`;
    case 'contrast':
      return `contrast (${printExpression(stage.predicate)})${optional('top ', stage.top)}`;
    case 'join':
      return printJoin(stage);
    case 'sort':
      return `sort ${list(stage.orders)}`;
    case 'top':
      return `top ${printExpression(stage.count)} by ${printExpression(stage.by)}${printWithin(stage.within)}${stage.other ? ' other' : ''}`;
    case 'limit':
      return `limit ${printExpression(stage.count)}${optional('offset ', stage.offset)}`;
    case 'sample':
      return `sample ${printExpression(stage.fraction)}`;
    case 'union':
      return `union ${stage.sources.map(printSource).join(', ')}`;
    case 'funnel':
      return printFunnel(stage);
    case 'flame':
      return `flame${optional('diff ', stage.diff)}`;
    case 'context':
      return `context ${printSides(stage)}`;
    case 'concurrency':
      return `concurrency ${printExpression(stage.width)}${optional('over ', stage.over)}${printBy(stage.by)}`;
    case 'broken':
      return '…';
  }
}

function list(items: readonly Ast.Expression[]): string {
  return items.map((item) => printExpression(item)).join(', ');
}

function optional(keyword: string, value: Ast.Expression | undefined): string {
  return value ? ` ${keyword}${printExpression(value)}` : '';
}

function printTrend(stage: Ast.StageOf<'trend'>): string {
  if (stage.fn !== 'predict') return `${stage.fn}${optional('', stage.duration)}`;
  return `predict ${printExpression(stage.ahead)}${optional('over ', stage.duration)}`;
}

function printFunnel({ by, within, steps }: Ast.StageOf<'funnel'>): string {
  const shapes = steps.map(printShape).join(' -> ');
  return `funnel by ${printAliased(by)} within ${printExpression(within)} ${shapes}`;
}

function printSides({ before, after }: Ast.StageOf<'context'>): string {
  const [first, second] = [before, after].map((count) => count && printExpression(count));
  if (first !== undefined && first === second) return first;
  return [...(first ? [`${first} before`] : []), ...(second ? [`${second} after`] : [])].join(' ');
}

function printShape(node: Ast.ShapeNode): string {
  return `${node.name?.text ?? ''}{${printExpression(node.predicate)}}`;
}

function printFormat(format: Ast.ParseFormat): string {
  if (format.kind === 'json' || format.kind === 'logfmt') return format.kind;
  return `${format.kind === 'regex' ? 'regex ' : ''}${printString(format.text)}`;
}

export function printAliased({ alias, value }: Ast.Aliased): string {
  return alias ? `${alias.text}=${printExpression(value)}` : printExpression(value);
}

function printBy(keys: readonly Ast.Aliased[]): string {
  return keys.length === 0 ? '' : ` by ${keys.map(printAliased).join(', ')}`;
}

function printWithout(labels: readonly Ast.Path[] | undefined): string {
  return labels ? ` without ${labels.map(printPath).join(', ')}` : '';
}

function printWithin(groups: readonly Ast.Path[]): string {
  return groups.length === 0 ? '' : ` within ${groups.map(printPath).join(', ')}`;
}

function printJoin(stage: Ast.StageOf<'join'>): string {
  const mode = stage.mode === 'inner' ? '' : ` ${stage.mode}`;
  const within = stage.within ? ` within ${printExpression(stage.within)}` : '';
  const alias = stage.as ? ` as ${stage.as.text}` : '';
  return `join${mode} ${printSource(stage.source)} on ${stage.on.map(printPath).join(', ')}${within}${alias}`;
}

/** A path as OQL: names with special characters, and names that would be read as keywords, are in backticks. */
export function printPath(path: Ast.Path): string {
  const names = path.segments.map((segment, i) => printName(segment, i === 0));
  const index = (path.index ?? []).map((one) => `[${typeof one === 'string' ? printString(one) : one}]`);
  return `${names.join('.')}${index.join('')}`;
}

function printName(segment: string, first = false): string {
  // Only the first segment of a path can be mistaken for a keyword.
  if (!PLAIN_NAME.test(segment) || (first && keywords.has(segment))) return `\`${segment}\``;
  return segment;
}

// Precedence levels. An operand with a lower level than its position requires gets brackets.
const OR = 1;
const AND = 2;
const NOT = 3;
const COMPARISON = 4;
const SUM = 5;
const PRODUCT = 6;
const UNARY = 7;
const ATOM = 8;

export function printExpression(expression: Ast.Expression, place = OR): string {
  const [text, level] = write(expression);
  return level < place ? `(${text})` : text;
}

function write(expression: Ast.Expression): [text: string, level: number] {
  switch (expression.kind) {
    case 'or':
      return [expression.operands.map((operand) => printExpression(operand, AND)).join(' or '), OR];
    case 'and':
      return [expression.operands.map((operand) => printExpression(operand, NOT)).join(' and '), AND];
    case 'not':
      return [`not ${printExpression(expression.operand, COMPARISON)}`, NOT];
    case 'compare': {
      const { left, operator, right } = expression;
      return [`${printExpression(left, SUM)} ${operator} ${printExpression(right, SUM)}`, COMPARISON];
    }
    case 'in':
      return [
        `${printExpression(expression.value, SUM)} ${expression.negated ? 'not in' : 'in'} (${printSet(expression.set)})`,
        COMPARISON,
      ];
    case 'exists':
      return [`${printExpression(expression.operand, SUM)} exists`, COMPARISON];
    case 'between': {
      const { value, low, high } = expression;
      return [
        `${printExpression(value, SUM)} between ${printExpression(low, SUM)} .. ${printExpression(high, SUM)}`,
        COMPARISON,
      ];
    }
    case 'arithmetic':
      return writeArithmetic(expression);
    case 'negate':
      return [`-${printExpression(expression.operand, ATOM)}`, UNARY];
    default:
      return [writeAtom(expression), ATOM];
  }
}

function writeArithmetic({ first, rest }: Ast.ExpressionOf<'arithmetic'>): [string, number] {
  const additive = rest[0]?.operator === '+' || rest[0]?.operator === '-';
  const level = additive ? SUM : PRODUCT;
  const tail = rest.map(({ operator, operand }) => ` ${operator} ${printExpression(operand, level + 1)}`);
  return [`${printExpression(first, level + 1)}${tail.join('')}`, level];
}

type Atom = Exclude<
  Ast.Expression,
  { readonly kind: 'or' | 'and' | 'not' | 'compare' | 'in' | 'exists' | 'between' | 'arithmetic' | 'negate' }
>;

function writeAtom(expression: Atom): string {
  switch (expression.kind) {
    case 'path':
      return printPath(expression);
    case 'param':
      return `$${expression.name}`;
    case 'scalar':
      return `(${printPipeline(expression.pipeline)})`;
    case 'over':
      return `${writeAtom(expression.call)} over ${printFrame(expression.frame)}`;
    case 'call':
      return `${expression.name.text}(${expression.args.star ? '*' : expression.args.items.map((item) => printExpression(item)).join(', ')})`;
    case 'string':
      return printString(expression.value);
    case 'int':
      return String(expression.value);
    case 'float':
      return printFloat(expression.value);
    case 'duration':
      return printDuration(expression.nanoseconds);
    case 'months':
      return printMonths(expression.months);
    case 'bytes':
      return printBytes(expression.bytes);
    case 'timestamp':
      return printTimestamp(expression.nanoseconds);
    case 'bool':
      return String(expression.value);
    case 'null':
      return 'null';
    case 'invalid':
      return '0';
  }
}

function printFrame(frame: Ast.Frame): string {
  switch (frame.kind) {
    case 'all':
      return 'all';
    case 'buckets':
    case 'rows':
      return `${printExpression(frame.count)} ${frame.kind}`;
    case 'time':
      return printExpression(frame.duration);
  }
}

/** Prints a float so that it stays a float: `1.0`, never `1`. */
function printFloat(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text.replace(/e\+/, 'e') : `${text}.0`;
}

function printSet(set: Ast.InSet): string {
  return set.kind === 'query' ? printPipeline(set.pipeline) : set.items.map((item) => printExpression(item)).join(', ');
}
