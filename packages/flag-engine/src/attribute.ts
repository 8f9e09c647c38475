import type { EvaluationContext } from './evaluation.ts';
import { Malformed } from './failure.ts';

/** Reads one attribute of a context; undefined where it is absent. */
export type AttributeReader = (context: EvaluationContext) => unknown;

/**
 * A reader for an attribute's name, or for a JSON pointer (RFC 6901) when it starts with `/`. Only own properties are
 * read, so that `__proto__`, `constructor` and whatever hangs on a prototype are never mistaken for attributes, and
 * are ordinary attributes where the caller sent them.
 *
 * @throws Malformed for an empty name and for a pointer with a broken escape
 */
export function attributeReader(name: string): AttributeReader {
  if (typeof name !== 'string' || name === '') throw new Malformed('an attribute is needed');
  if (!name.startsWith('/')) return (context) => (Object.hasOwn(context, name) ? context[name] : undefined);
  const path = parsePointer(name);
  return (context) => {
    let value: unknown = context;
    for (const token of path) {
      value = child(value, token);
      if (value === undefined) return undefined;
    }
    return value;
  };
}

/** What is wrong with a JSON pointer; undefined when it is fine. */
export function wrongPointer(pointer: string): string | undefined {
  return /~(?![01])/.test(pointer) ? `"${pointer}" is no JSON pointer: "~" is written "~0", "/" "~1"` : undefined;
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
