import { type EvaluationContext, TARGETING_KEY } from '@fanion/flag-engine';
import { userKind } from './clause-rules.ts';

type Fields = Readonly<Record<string, unknown>>;

const kindForm = /^[A-Za-z0-9._-]{1,100}$/;

/** Why something is no context of LaunchDarkly; an ending of "the context …". */
export class WrongContext extends Error {}

/**
 * A context of LaunchDarkly as the engine's: the attributes of the user are its own, and each other kind is an object in it, by
 * its name. So clauses without a context kind read the user, as LaunchDarkly's SDKs do.
 *
 * @throws WrongContext
 */
export function engineContext(given: unknown): EvaluationContext {
  const context = fieldsOf(given);
  const { kind } = context;
  if (kind === undefined) return { ...formerUser(context), [TARGETING_KEY]: keyOf(context) };
  if (typeof kind !== 'string') throw new WrongContext('has a kind that is not text');
  if (kind !== 'multi') return merged([[kind, context]]);
  const parts = Object.entries(context).filter(([name]) => name !== 'kind');
  if (parts.length === 0) throw new WrongContext('has no kinds');
  return merged(parts.map(([name, part]) => [name, fieldsOf(part)]));
}

function merged(parts: readonly (readonly [kind: string, part: Fields])[]): EvaluationContext {
  let user: EvaluationContext = {};
  const others: [string, EvaluationContext][] = [];
  for (const [kind, part] of parts) {
    if (!kindForm.test(kind) || kind === 'kind' || kind === 'multi') throw new WrongContext('has an invalid kind');
    const { kind: _kind, _meta, ...attributes } = part;
    const own = { ...attributes, [TARGETING_KEY]: keyOf(part) };
    if (kind === userKind) user = own;
    else others.push([kind, own]);
  }
  return { ...user, ...Object.fromEntries(others) };
}

/** Before contexts had kinds, attributes that LaunchDarkly did not define were in `custom`. */
function formerUser({ custom, privateAttributeNames: _private, ...attributes }: Fields): Fields {
  return { ...(custom === undefined || custom === null ? {} : fieldsOf(custom)), ...attributes };
}

function keyOf({ key }: Fields): string {
  if (typeof key === 'number' && Number.isSafeInteger(key)) return String(key);
  if (typeof key !== 'string' || key === '') throw new WrongContext('needs a key in each kind');
  return key;
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WrongContext('must be an object, as must its kinds');
  return value as Fields;
}
