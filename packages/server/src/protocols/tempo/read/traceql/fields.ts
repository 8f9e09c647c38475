import type { SyntaxNode } from '@lezer/common';
import { INTRINSIC_MARK, nanosecondsOf } from './correct.ts';
import { TraceqlError, unsupported } from './error.ts';
import { childrenOf, isBracketed, type Part, type Precedence, type Source, textOf, treeOf } from './syntax.ts';
import type { AttributeScope, Expression, Field, IntrinsicName, Static } from './tree.ts';

const levels: Readonly<Record<string, number>> = {
  ...{ '&&': 1, '||': 1 },
  ...{ '=': 2, '!=': 2, '<': 2, '<=': 2, '>': 2, '>=': 2, '=~': 2, '!~': 2 },
  ...{ '+': 3, '-': 3, '*': 5, '/': 5, '%': 5, '^': 6 },
};

const precedence: Precedence<Expression> = {
  level: (operator) => levels[operator],
  prefixLevel: (prefix) => (prefix === '!' ? 4 : 7),
  isRight: (operator) => operator === '^',
  join: (operator, left, right) => ({ kind: 'binary', operator: operator as never, left, right }),
  prefixed: (operator, operand) => ({ kind: 'unary', operator, operand }),
};

/** A condition or value of a span, from a `FieldExpression`. */
export function expressionOf(node: SyntaxNode, source: Source): Expression {
  return treeOf(partsOf(node, source), precedence);
}

function partsOf(node: SyntaxNode, source: Source): Part<Expression>[] {
  const children = childrenOf(node);
  const [first, operator, second] = children;
  if (first === undefined) throw new TraceqlError(`unexpected ${textOf(node, source)}`);
  if (first.name !== 'FieldExpression') return [{ operand: operandOf(first, source) }];
  if (isBracketed(node, children, source)) return [{ operand: expressionOf(first, source) }];
  if (operator !== undefined && second !== undefined)
    return [...partsOf(first, source), { operator: textOf(operator, source) }, ...partsOf(second, source)];
  const prefix = source.text[node.from];
  if (first.from > node.from && (prefix === '-' || prefix === '!')) return [{ prefix }, ...partsOf(first, source)];
  return partsOf(first, source);
}

function operandOf(node: SyntaxNode, source: Source): Expression {
  return node.name === 'Static'
    ? { kind: 'static', static: staticOf(node, source) }
    : { kind: 'field', field: fieldOf(node, source) };
}

const statuses = new Set(['ok', 'error', 'unset']);
const kinds = new Set(['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']);

/** A value, from a `Static` or from the number of a scalar expression. */
export function staticOf(node: SyntaxNode, source: Source): Static {
  const text = textOf(node, source);
  const [inner] = childrenOf(node);
  switch (inner?.name ?? node.name) {
    case 'String':
      return { type: 'string', value: unquoted(text) };
    case 'Integer':
      return { type: 'int', value: BigInt(text) };
    case 'Float':
      return { type: 'float', value: Number(text) };
    case 'Duration':
      return { type: 'duration', nanoseconds: nanosecondsOf(text) };
    case 'TemplateVariable':
      throw unsupported(`the variable ${text}`);
  }
  if (text === 'true' || text === 'false') return { type: 'bool', value: text === 'true' };
  if (text === 'nil') return { type: 'nil' };
  if (statuses.has(text)) return { type: 'status', value: text };
  if (kinds.has(text)) return { type: 'kind', value: text };
  throw new TraceqlError(`unexpected ${text}`);
}

function unquoted(literal: string): string {
  const inner = literal.slice(1, -1);
  return literal.startsWith('`') ? inner : inner.replace(/\\(["\\])/g, '$1');
}

const intrinsics: Readonly<Record<string, IntrinsicName>> = {
  ...{ duration: 'duration', 'span:duration': 'duration', name: 'name', 'span:name': 'name' },
  ...{ kind: 'kind', 'span:kind': 'kind', status: 'status', 'span:status': 'status' },
  ...{ statusMessage: 'statusMessage', 'span:statusMessage': 'statusMessage' },
  ...{ traceDuration: 'traceDuration', 'trace:duration': 'traceDuration' },
  ...{ rootName: 'rootName', 'trace:rootName': 'rootName' },
  ...{ rootServiceName: 'rootServiceName', 'trace:rootService': 'rootServiceName' },
  ...{ 'trace:id': 'trace:id', 'span:id': 'span:id', 'span:parentID': 'span:parentID' },
  'span:childCount': 'span:childCount',
  ...{ 'event:name': 'event:name', 'event:timeSinceStart': 'event:timeSinceStart' },
  ...{ 'link:spanID': 'link:spanID', 'link:traceID': 'link:traceID' },
  ...{ 'instrumentation:name': 'instrumentation:name', 'instrumentation:version': 'instrumentation:version' },
  ...{ nestedSetParent: 'nestedSetParent', nestedSetLeft: 'nestedSetLeft', nestedSetRight: 'nestedSetRight' },
};

const scopes: Readonly<Record<string, AttributeScope>> = {
  Span: 'span',
  Resource: 'resource',
  Event: 'event',
  Link: 'link',
  Instrumentation: 'instrumentation',
};

/** A field, from an `IntrinsicField` or an `AttributeField`. */
export function fieldOf(node: SyntaxNode, source: Source): Field {
  const text = textOf(node, source);
  if (node.name === 'IntrinsicField') return intrinsicOf(text);
  const children = childrenOf(node);
  const identifier = children.find(({ name }) => name === 'Identifier');
  if (identifier === undefined) throw new TraceqlError(`unexpected ${text}`);
  const isOfParent = children.some(({ name }) => name === 'Parent');
  const name = attributeName(textOf(identifier, source));
  if (name.startsWith(INTRINSIC_MARK)) {
    if (isOfParent) throw unsupported(`the scope parent of ${text}`);
    return intrinsicOf(name.slice(INTRINSIC_MARK.length));
  }
  const scope = children.map((child) => scopes[child.name]).find((one) => one !== undefined);
  return { kind: 'attribute', scope: scope ?? 'any', name, ...(isOfParent && { isOfParent }) };
}

/** @throws {TraceqlError} on a name that is not known */
export function intrinsicOf(text: string): Field {
  const name = Object.hasOwn(intrinsics, text) ? intrinsics[text] : undefined;
  if (name === undefined) throw unsupported(`the field ${text}`);
  return { kind: 'intrinsic', name };
}

/** Parts of a name may be in quotes: `span."my key".x`. */
function attributeName(written: string): string {
  if (written.startsWith('$')) throw unsupported(`the variable ${written}`);
  return written.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner.replace(/\\(["\\])/g, '$1'));
}

/** A field as TraceQL writes it. */
export function writtenField(field: Field): string {
  if (field.kind === 'intrinsic') return field.name;
  const plain = /^[\w@#$%*+:;?'/.-]+$/.test(field.name) ? field.name : JSON.stringify(field.name);
  const scope = `${field.scope === 'any' ? '' : field.scope}.${plain}`;
  return field.isOfParent ? `parent${scope.startsWith('.') ? '' : '.'}${scope}` : scope;
}
