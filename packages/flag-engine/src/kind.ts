import type { EvaluationContext } from './evaluation.ts';
import { Malformed } from './failure.ts';
import { TARGETING_KEY } from './ruleset.ts';

/** The kind of a context that does not name one. */
export const DEFAULT_KIND = 'user';

/**
 * The part of a context for one kind: a user, an organization, a device.
 *
 * - `{targetingKey, …, organization: {key, …}}`: the context itself is the user, nested objects are further kinds.
 * - `{kind: "organization", targetingKey, …}`: the context itself has the named kind.
 * - `{kind: "multi", user: {key, …}, organization: {key, …}}`: each nested object is a kind.
 *
 * The forms with `kind` are those of LaunchDarkly's SDKs and OpenFeature providers. Undefined if the context has
 * nothing of that kind.
 */
export function contextOfKind(context: EvaluationContext, kind: string): EvaluationContext | undefined {
  const named = Object.hasOwn(context, 'kind') ? context.kind : undefined;
  const own = typeof named === 'string' && named !== '' ? named : DEFAULT_KIND;
  if (kind === own && kind !== 'multi') return context;
  const part = Object.hasOwn(context, kind) ? context[kind] : undefined;
  return isContext(part) ? part : undefined;
}

/** The key that names the unit in a part of a context: `targetingKey`, or `key` as in LaunchDarkly. */
export function keyOf(part: EvaluationContext): unknown {
  if (Object.hasOwn(part, TARGETING_KEY)) return part[TARGETING_KEY];
  return Object.hasOwn(part, 'key') ? part.key : undefined;
}

function isContext(value: unknown): value is EvaluationContext {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const KIND = /^[A-Za-z0-9._-]{1,64}$/;

/** The problem of a context kind's name; undefined if it is valid. */
export function wrongKind(kind: string): string | undefined {
  if (!KIND.test(kind)) return 'must have 1 to 64 letters, digits, dots, dashes or underscores';
  return kind === 'kind' || kind === 'multi' ? `"${kind}" cannot be the name of a kind` : undefined;
}

/** @throws Malformed */
export function kindNamed({ context_kind }: { readonly context_kind?: string }): string | undefined {
  const wrong = context_kind === undefined ? undefined : wrongKind(context_kind);
  if (wrong !== undefined) throw new Malformed(`context_kind: ${wrong}`);
  return context_kind;
}
