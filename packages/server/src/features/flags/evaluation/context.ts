import type { BodyLimit } from '@fanion/contract';
import { type EvaluationContext, isDeeperThan } from '@fanion/flag-engine';
import { hasMoreValues } from '../../../http/json-body.ts';

/** A deeper context is an attack or a mistake. */
const maxContextDepth = 64;

export interface ContextProblem {
  readonly code: 'PARSE_ERROR' | 'INVALID_CONTEXT';
  readonly message: string;
  /** Path of the invalid field; the context itself if absent. */
  readonly path?: string;
}

/** The context of a body, or its problem. A body without one is an empty context. */
export function contextOf(
  body: unknown,
  { values, members }: Pick<BodyLimit, 'values' | 'members'>,
): { readonly context: EvaluationContext } | { readonly problem: ContextProblem } {
  if (body === undefined) return { context: {} };
  if (!isObject(body))
    return { problem: { code: 'PARSE_ERROR', message: 'the body must be an object {"context": {…}}' } };
  const context = body.context;
  if (context === undefined) return { context: {} };
  if (!isObject(context)) return invalid('context must be an object');
  const { targetingKey } = context;
  // Clients in some languages send null for a missing key.
  if (targetingKey !== undefined && targetingKey !== null && typeof targetingKey !== 'string')
    return invalid('context.targetingKey must be a string');
  if (Object.keys(context).length > members) return invalid(`context has more than ${members} attributes`);
  if (hasMoreValues(context, values)) return tooManyValues({ values });
  if (isDeeperThan(context, maxContextDepth)) return invalid(`context is nested more than ${maxContextDepth} deep`);
  return { context };
}

/** Otherwise a mistyped `context` would silently evaluate without one. */
export function unknownField(body: unknown): { readonly problem: ContextProblem } | undefined {
  if (!isObject(body)) return undefined;
  const unknown = Object.keys(body).find((name) => name !== 'context');
  if (unknown === undefined) return undefined;
  return { problem: { code: 'PARSE_ERROR', message: `unrecognized field "${unknown.slice(0, 100)}"`, path: unknown } };
}

export function tooManyValues({ values }: Pick<BodyLimit, 'values'>): { problem: ContextProblem } {
  return invalid(`context has more than ${values} values`);
}

function invalid(message: string): { problem: ContextProblem } {
  return { problem: { code: 'INVALID_CONTEXT', message } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
