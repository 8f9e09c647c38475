import type { AttributeReader, Scope } from './compiled.ts';
import type { EvaluationContext } from './evaluation.ts';
import { Malformed } from './failure.ts';
import { contextOfKind, keyOf } from './kind.ts';
import { TARGETING_KEY } from './ruleset.ts';

/** The attribute that is the time of the evaluation, unless the context sets it. */
const NOW = 'now';

/**
 * A reader for an attribute's name, or for a JSON pointer (RFC 6901) when it starts with `/`. Only own properties are
 * read, so that `__proto__`, `constructor` and other inherited names are never mistaken for attributes, and are
 * ordinary attributes if the caller sent them.
 *
 * @param kind the part of the context that is read
 * @throws Malformed for an empty name and for a pointer with a broken escape
 */
export function attributeReader(name: string, kind?: string): AttributeReader {
  if (typeof name !== 'string' || name === '') throw new Malformed('an attribute is needed');
  if (kind !== undefined) return kindReader(name, kind);
  if (name === NOW) return (scope) => (Object.hasOwn(scope.context, NOW) ? scope.context[NOW] : null) ?? timeOf(scope);
  if (name.startsWith('/')) {
    const path = parsePointer(name);
    return (scope) => descend(scope.context, path);
  }
  return (scope) => (Object.hasOwn(scope.context, name) ? scope.context[name] : undefined);
}

function kindReader(name: string, kind: string): AttributeReader {
  const read = name === TARGETING_KEY ? keyOf : nameReader(name);
  return (scope) => {
    const part = contextOfKind(scope.context, kind);
    return part === undefined ? undefined : read(part);
  };
}

function nameReader(name: string): (context: EvaluationContext) => unknown {
  if (!name.startsWith('/')) return (context) => (Object.hasOwn(context, name) ? context[name] : undefined);
  const path = parsePointer(name);
  return (context) => descend(context, path);
}

/** One time for all flags of a call, in milliseconds since 1970; undefined if the ruleset has no clock. */
function timeOf(scope: Scope): number | undefined {
  scope.now ??= scope.ruleset.clock?.();
  return scope.now;
}

function descend(context: EvaluationContext, path: readonly string[]): unknown {
  let value: unknown = context;
  for (const token of path) {
    value = child(value, token);
    if (value === undefined) return undefined;
  }
  return value;
}

/** The problem of a JSON pointer; undefined if it is valid. */
export function wrongPointer(pointer: string): string | undefined {
  return /~(?![01])/.test(pointer)
    ? `"${pointer}" is not a JSON pointer: write "~" as "~0" and "/" as "~1"`
    : undefined;
}

/** The tokens of a JSON pointer, unescaped: `/a~1b/0` is `a/b`, `0`. */
function parsePointer(pointer: string): string[] {
  const wrong = wrongPointer(pointer);
  if (wrong !== undefined) throw new Malformed(wrong);
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

function child(value: unknown, token: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return ARRAY_INDEX.test(token) ? value[Number(token)] : undefined;
  return Object.hasOwn(value, token) ? (value as Record<string, unknown>)[token] : undefined;
}
