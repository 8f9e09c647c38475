import { type Fields, fieldsListOf, fieldsOf, numberOf, textOf, textsOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';
import type { FlagDocument, ServeDocument } from '../document.ts';
import { type Expression, oneOf } from './expression.ts';
import { freeKey, type Kind } from './naming.ts';
import { asText, attributeOf } from './unleash-constraints.ts';
import { weightsOf } from './weights.ts';

/** How units are divided over variants. */
export interface Division {
  /** What Unleash hashes with the unit. */
  readonly seed: string;
  readonly stickiness: string | undefined;
  readonly note: (what: string) => void;
}

/** How a feature with its variants becomes one flag: Unleash answers "on?" and "which variant?" separately; here both are one answer. */
export interface VariantPlan {
  readonly kind: Kind;
  readonly variants: FlagDocument['variants'];
  /** Served when the feature is on and has no variants. */
  readonly on: string;
  readonly off: string;
  /** What units with the feature get, divided over these variants. */
  serve(variants: readonly Fields[], division: Division): ServeDocument;
  keyOf(name: string): string;
}

/** Unleash returns it to contexts without a variant. */
export const DISABLED = 'disabled';

/**
 * @param all the variants of all environments and strategies of the feature
 * @throws NoEqual
 */
export function planVariants(all: readonly Fields[], note: (what: string) => void): VariantPlan {
  if (all.length === 0) {
    const variants = [
      { key: 'true', value: true },
      { key: 'false', value: false },
    ];
    return planOf('boolean', variants, 'true', 'false', new Map());
  }
  const kind = kindOfPayloads(all);
  const taken = new Set<string>([DISABLED]);
  const keys = new Map<string, string>();
  const variants: FlagDocument['variants'] = [];
  for (const variant of all) {
    const name = textOf(variant.name) ?? '';
    if (keys.has(name)) continue;
    const key = freeKey(name, taken);
    keys.set(name, key);
    variants.push({ key, value: payloadOf(variant, kind) });
  }
  const nothing = { boolean: false, string: DISABLED, number: 0, json: null }[kind];
  variants.push({ key: DISABLED, value: nothing });
  note(
    `it has variants: it is one ${kind} flag here, whose variant is ${DISABLED} (${JSON.stringify(nothing)}) when the feature is off`,
  );
  return planOf(kind, variants, variants[0]?.key ?? DISABLED, DISABLED, keys);
}

function planOf(
  kind: Kind,
  variants: FlagDocument['variants'],
  on: string,
  off: string,
  keys: ReadonlyMap<string, string>,
): VariantPlan {
  const keyOf = (name: string) => keys.get(name) ?? on;
  return {
    kind,
    variants,
    on,
    off,
    keyOf,
    serve(given, { seed, stickiness, note }) {
      const parts = given.map((variant) => ({
        variant: keyOf(textOf(variant.name) ?? ''),
        buckets: Math.max(0, numberOf(variant.weight) ?? 0),
      }));
      const total = parts.reduce((sum, { buckets }) => sum + buckets, 0);
      if (total === 0) {
        if (keys.size > 0) note(`it is on without a variant and serves ${on} here`);
        return { variant: on };
      }
      const weights = weightsOf(parts, total);
      const [only] = weights;
      if (only !== undefined && weights.length === 1) return { variant: only.variant };
      if (total > MAX_BUCKETS || !Number.isInteger(total))
        throw new NoEqual(`the weights of its variants sum to ${total}; the maximum is ${MAX_BUCKETS}`);
      return {
        rollout: { ...variantUnit(stickiness, note), hash: 'unleash_variants', seed, buckets: total, weights },
      };
    },
  };
}

/** The engine divides a line into at most this many places. */
const MAX_BUCKETS = 100_000;

/** The attribute that divides the variants. Without a value for it, Unleash chooses at random; here it is the first variant. */
function variantUnit(stickiness: string | undefined, note: Division['note']) {
  if (stickiness === undefined || stickiness === 'default')
    return { fallback_bucket_by: ['sessionId', 'remoteAddress'] };
  if (stickiness === 'random') {
    note(atRandom);
    return { fallback_bucket_by: ['sessionId', 'remoteAddress'] };
  }
  note(`a context without ${stickiness} gets a random variant in Unleash, and the first one here`);
  // With a fallback, a missing targeting key is not an error.
  if (stickiness === 'userId') return { fallback_bucket_by: ['sessionId'] };
  return { bucket_by: stickiness };
}

export const atRandom = 'it divides at random for each evaluation: here a unit keeps its variant';

function kindOfPayloads(variants: readonly Fields[]): Kind {
  const types = new Set(variants.map(({ payload }) => textOf(fieldsOf(payload).type) ?? 'none'));
  const [type] = types;
  if (types.size > 1) return 'string';
  return type === 'json' ? 'json' : type === 'number' ? 'number' : 'string';
}

/** The payload, or the name of a variant without one. */
function payloadOf(variant: Fields, kind: Kind): unknown {
  const name = textOf(variant.name) ?? '';
  const { value } = fieldsOf(variant.payload);
  if (value === undefined) return name;
  if (kind === 'string') return String(value);
  const parsed = parsedOf(String(value));
  if (parsed === undefined || (kind === 'number' && typeof parsed !== 'number')) {
    throw new NoEqual(`the payload of its variant ${name} is not a ${kind}`);
  }
  return parsed;
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Overrides: who gets a variant regardless of the division, while the feature is on for them. The first match decides. */
export function overridesOf(variants: readonly Fields[], plan: VariantPlan): Override[] {
  return variants.flatMap((variant) =>
    fieldsListOf(variant.overrides).flatMap((override) => {
      const values = textsOf(override.values);
      if (values.length === 0) return [];
      const attribute = attributeOf(textOf(override.contextName) ?? '');
      return [{ variant: plan.keyOf(textOf(variant.name) ?? ''), clause: oneOf(attribute, values, asText(attribute)) }];
    }),
  );
}

export interface Override {
  readonly variant: string;
  readonly clause: Expression;
}
