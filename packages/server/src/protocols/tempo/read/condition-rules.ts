import type { Tree } from '@fanion/oql';
import { columnOf, noNestedSets } from './column-rules.ts';
import {
  anchored,
  compareAttribute,
  compareDuration,
  compareId,
  compareMember,
  compareText,
  type Intrinsic,
  mismatch,
  nilCheck,
  oqlOperator,
} from './compare-rules.ts';
import { constantOf, numberOf, staticValue } from './literal-rules.ts';
import {
  all,
  arithmetic,
  attribute,
  bool,
  call,
  compare,
  exists,
  extend,
  field,
  inQuery,
  keep,
  match,
  negative,
  not,
  pipeline,
  some,
  spanKey,
  text,
  where,
} from './oql-tree.ts';
import { amongRelated, fieldsIn, parentsWith } from './related-rules.ts';
import { comparisons } from './traceql/comparisons.ts';
import { TraceqlError, unsupported } from './traceql/error.ts';
import type { CompareOperator, Expression, Field, Static } from './traceql/tree.ts';

type Attribute = Extract<Field, { readonly kind: 'attribute' }>;
type Binary = Extract<Expression, { readonly kind: 'binary' }>;

const mirrored: Readonly<Record<CompareOperator, CompareOperator>> = {
  ...{ '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=~': '=~', '!~': '!~' },
};
const compareOperators = new Set<string>(Object.keys(mirrored));

/**
 * A condition on a span as one of OQL. As in Tempo, a comparison is false where the value is missing or has another type,
 * also `!=` and `!~`; a pattern matches the whole text.
 */
export function conditionOf(expression: Expression): Tree.Expression {
  switch (expression.kind) {
    case 'static':
      if (expression.static.type !== 'bool') throw new TraceqlError('a set of spans needs a condition');
      return bool(expression.static.value);
    case 'field':
      return compareField(expression.field, '=', { type: 'bool', value: true });
    case 'unary':
      if (expression.operator === '-') throw new TraceqlError('a set of spans needs a condition, not a number');
      return expression.operand.kind === 'field'
        ? compareField(expression.operand.field, '=', { type: 'bool', value: false })
        : not(conditionOf(expression.operand));
    case 'binary':
      if (expression.operator === '&&') return all(conditionOf(expression.left), conditionOf(expression.right));
      if (expression.operator === '||') return some(conditionOf(expression.left), conditionOf(expression.right));
      return comparisonOf(expression);
  }
}

function comparisonOf({ operator: written, left, right }: Binary): Tree.Expression {
  if (!compareOperators.has(written)) throw new TraceqlError('a set of spans needs a condition, not a number');
  const operator = written as CompareOperator;
  const [a, b] = [constantOf(left), constantOf(right)];
  if (a !== undefined && b !== undefined && (a.type === 'nil' || b.type === 'nil')) return compareNil(operator, a, b);
  if (left.kind === 'field' && b !== undefined) return compareField(left.field, operator, b);
  if (right.kind === 'field' && a !== undefined) {
    if (operator === '=~' || operator === '!~') throw unsupported('a field as a pattern');
    return compareField(right.field, mirrored[operator], a);
  }
  return compareValues(operator, left, right);
}

function compareField(of: Field, operator: CompareOperator, against: Static): Tree.Expression {
  if (of.kind === 'attribute') {
    if (of.isOfParent) return compareParent(of, operator, against);
    switch (of.scope) {
      case 'any': {
        // That of the span, and where it has none that of its resource.
        const [own, resource] = [attribute('attr', of.name), attribute('resource', of.name)];
        if (against.type === 'nil')
          return nilCheck(operator, (isNil) =>
            isNil ? all(not(exists(own)), not(exists(resource))) : some(exists(own), exists(resource)),
          );
        return some(
          compareAttribute(own, operator, against),
          all(not(exists(own)), compareAttribute(resource, operator, against)),
        );
      }
      case 'span':
        return compareAttribute(attribute('attr', of.name), operator, against);
      case 'resource':
        return compareAttribute(attribute('resource', of.name), operator, against);
      case 'instrumentation':
        return compareAttribute(attribute('scope', of.name), operator, against);
      case 'event':
        return ofElements('events', attribute('attr', of.name), operator, against);
      case 'link':
        return ofElements('links', attribute('attr', of.name), operator, against);
    }
  }
  return compareIntrinsic(of, operator, against);
}

/** A root, or a span whose parent is not in the window, has no value. */
function compareParent(
  { isOfParent: _, ...own }: Attribute,
  operator: CompareOperator,
  against: Static,
): Tree.Expression {
  const ofParent = (condition: CompareOperator) => below(compareField(own, condition, against), '>', bool(true));
  if (against.type !== 'nil') return ofParent(operator);
  return nilCheck(operator, (isNil) => (isNil ? not(ofParent('!=')) : ofParent('!=')));
}

/** Spans on the right of a relation. */
export function below(left: Tree.Expression, operator: Tree.ShapeOperator, right: Tree.Expression): Tree.Expression {
  const sides: [string, Tree.Expression][] = [
    ['a', left],
    ['b', right],
  ];
  return inQuery(spanKey(), pipeline('spans', match(sides, operator), extend([['key', spanKey()]]), keep('key')));
}

function compareIntrinsic(of: Intrinsic, operator: CompareOperator, against: Static): Tree.Expression {
  switch (of.name) {
    case 'name':
      return compareText(field('name'), operator, against, of);
    case 'statusMessage':
      return compareText(field('status_message'), operator, against, of);
    case 'instrumentation:name':
      return compareText(field('scope.name'), operator, against, of);
    case 'instrumentation:version':
      return compareText(field('scope.version'), operator, against, of);
    case 'duration':
      return compareDuration(field('duration'), operator, against, of);
    case 'status':
    case 'kind':
      return compareMember(of, operator, against);
    case 'trace:id':
      return compareId(field('trace_id'), 32, operator, against, of);
    case 'span:id':
      return compareId(field('span_id'), 16, operator, against, of);
    case 'span:parentID':
      if (against.type === 'nil') return nilCheck(operator, (isNil) => compare(field('root'), '==', bool(isNil)));
      return all(exists(field('parent_span_id')), compareId(field('parent_span_id'), 16, operator, against, of));
    case 'traceDuration':
      return ofTraces(compareDuration(field('duration'), operator, against, of));
    case 'rootName':
      return ofTraces(compareText(field('name'), operator, against, of));
    case 'rootServiceName':
      return ofTraces(compareText(field('service.name'), operator, against, of));
    case 'event:name':
    case 'event:timeSinceStart':
    case 'link:spanID':
    case 'link:traceID':
      return ofElement(of, operator, against);
    case 'span:childCount':
      return compareChildCount(of, operator, against);
    case 'nestedSetParent':
    case 'nestedSetLeft':
    case 'nestedSetRight':
      return compareNestedSet(of, operator, against);
    default:
      throw unsupported(`a condition on ${of.name}`);
  }
}

/** -1 is the parent of a root; the numbers of others are only known within a trace. */
function compareNestedSet({ name }: Intrinsic, operator: CompareOperator, against: Static): Tree.Expression {
  const written = name === 'nestedSetParent' && against.type === 'int' ? `${operator}${against.value}` : '';
  if (['<0', '=-1', '<=-1'].includes(written)) return compare(field('root'), '==', bool(true));
  if (['>=0', '!=-1', '>-1'].includes(written)) return compare(field('root'), '==', bool(false));
  throw noNestedSets(name);
}

/** Only spans with children have a row that counts them. */
function compareChildCount(of: Intrinsic, operator: CompareOperator, against: Static): Tree.Expression {
  if (against.type === 'nil') return nilCheck(operator, (isNil) => bool(!isNil));
  if (against.type !== 'int' && against.type !== 'float') throw mismatch(of, against);
  if (operator === '=~' || operator === '!~') throw new TraceqlError(`${operator} needs a text`);
  const number = numberOf(against);
  const isMetByNone = comparisons[operator](0, Number(against.value));
  const met = (count: Tree.Expression) => compare(count, oqlOperator(operator), number);
  return isMetByNone ? not(parentsWith((count) => not(met(count)))) : parentsWith(met);
}

/** A condition on the trace of a span: its spans in the window. */
function ofTraces(condition: Tree.Expression): Tree.Expression {
  return inQuery(field('trace_id'), pipeline('traces', where(condition), keep('trace_id')));
}

function spansWith(signal: 'events' | 'links', condition: Tree.Expression): Tree.Expression {
  return inQuery(spanKey(), pipeline(signal, where(condition), extend([['key', spanKey()]]), keep('key')));
}

/** A condition that an event or link of a span meets. */
function ofElements(signal: 'events' | 'links', path: Tree.Path, operator: CompareOperator, against: Static) {
  if (against.type === 'nil')
    return nilCheck(operator, (isNil) =>
      isNil ? not(spansWith(signal, exists(path))) : spansWith(signal, exists(path)),
    );
  return spansWith(signal, compareAttribute(path, operator, against));
}

function ofElement(of: Intrinsic, operator: CompareOperator, against: Static): Tree.Expression {
  const signal = of.name.startsWith('event:') ? 'events' : 'links';
  if (against.type === 'nil')
    return nilCheck(operator, (isNil) => {
      const any = spansWith(signal, exists(field('span_id')));
      return isNil ? not(any) : any;
    });
  switch (of.name) {
    case 'event:name':
      return spansWith(signal, compareText(field('name'), operator, against, of));
    case 'event:timeSinceStart':
      return spansWith(
        signal,
        compareDuration(arithmetic(field('time'), '-', field('span.time')), operator, against, of),
      );
    case 'link:spanID':
      return spansWith(signal, compareId(field('link.span_id'), 16, operator, against, of));
    default:
      return spansWith(signal, compareId(field('link.trace_id'), 32, operator, against, of));
  }
}

/** A constant is never missing, and as in Tempo, nothing is neither equal nor unequal to nothing. */
function compareNil(operator: CompareOperator, left: Static, right: Static): Tree.Expression {
  return nilCheck(operator, (isNil) => bool(!isNil && left.type !== right.type));
}

function matchTexts(operator: '=~' | '!~', left: Static | undefined, right: Static | undefined): Tree.Expression {
  if (left?.type !== 'string' || right?.type !== 'string') throw unsupported('a pattern that is not a text');
  return compare(text(left.value), operator, text(anchored(right.value)));
}

/** Two values of a span, of which no side is a constant. */
function compareValues(operator: CompareOperator, left: Expression, right: Expression): Tree.Expression {
  if (operator === '=~' || operator === '!~') return matchTexts(operator, constantOf(left), constantOf(right));
  const fields = [...fieldsIn(left), ...fieldsIn(right)];
  const attributes = fields.filter(({ kind }) => kind === 'attribute');
  if (operator === '!=' && attributes.length > 1) throw unsupported('!= between two attributes');
  const values = compare(computedValue(left), oqlOperator(operator), computedValue(right));
  return amongRelated(fields, all(...attributes.map((one) => exists(columnOf(one))), values));
}

/** A value of a span, computed from its fields. */
export function computedValue(expression: Expression): Tree.Expression {
  const constant = constantOf(expression);
  if (constant !== undefined) return staticValue(constant);
  switch (expression.kind) {
    case 'field':
      return columnOf(expression.field);
    case 'unary':
      if (expression.operator === '!') return conditionOf(expression);
      return negative(computedValue(expression.operand));
    case 'binary': {
      const { operator, left, right } = expression;
      if (operator === '&&' || operator === '||' || compareOperators.has(operator)) return conditionOf(expression);
      if (operator === '^') return call('pow', computedValue(left), computedValue(right));
      return arithmetic(computedValue(left), operator as Tree.ArithmeticOperator, computedValue(right));
    }
    default:
      throw new TraceqlError('a value is missing');
  }
}
