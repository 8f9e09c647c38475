import { type EvaluationContext, isDeeperThan } from '@fanion/flag-engine';

/** Beyond these a context is no set of facts about a unit but an attack or a mistake. */
const maxContextKeys = 1_000;
const maxContextDepth = 64;

export interface ContextProblem {
  readonly code: 'PARSE_ERROR' | 'INVALID_CONTEXT';
  readonly message: string;
  /** Of the field that is wrong; the context, where it is not given. */
  readonly path?: string;
}

/** The context out of a body, or what is wrong with it. A body without one is an empty context. */
export function contextOf(
  body: unknown,
): { readonly context: EvaluationContext } | { readonly problem: ContextProblem } {
  if (body === undefined) return { context: {} };
  if (!isObject(body))
    return { problem: { code: 'PARSE_ERROR', message: 'the body must be an object {"context": {…}}' } };
  const context = body.context;
  if (context === undefined) return { context: {} };
  if (!isObject(context)) return invalid('context must be an object');
  const { targetingKey } = context;
  // Null is how clients in other languages write that there is none.
  if (targetingKey !== undefined && targetingKey !== null && typeof targetingKey !== 'string')
    return invalid('context.targetingKey must be a string');
  if (Object.keys(context).length > maxContextKeys)
    return invalid(`context has more than ${maxContextKeys} attributes`);
  if (isDeeperThan(context, maxContextDepth)) return invalid(`context is nested more than ${maxContextDepth} deep`);
  return { context };
}

/** A mistyped `context` would else be an evaluation without one that nobody notices. */
export function unknownField(body: unknown): { readonly problem: ContextProblem } | undefined {
  if (!isObject(body)) return undefined;
  const unknown = Object.keys(body).find((name) => name !== 'context');
  if (unknown === undefined) return undefined;
  return { problem: { code: 'PARSE_ERROR', message: `unrecognized field "${unknown.slice(0, 100)}"`, path: unknown } };
}

function invalid(message: string): { problem: ContextProblem } {
  return { problem: { code: 'INVALID_CONTEXT', message } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
