import type { EnvironmentDocument, FlagDocument, ServeDocument } from '../document.ts';
import { NoEqual } from './conversion.ts';
import { freeKey, type Kind } from './naming.ts';
import { type Fields, fieldsListOf, fieldsOf, numberOf, textOf, textsOf } from './read.ts';
import { attributeOf } from './unleash-constraints.ts';
import { weightsOf } from './weights.ts';

/** How a feature with its variants becomes one flag: Unleash answers "on?" and "which variant?" apart, here it is one. */
export interface VariantPlan {
  readonly kind: Kind;
  readonly variants: FlagDocument['variants'];
  /** Served where the feature is on and no variants are given. */
  readonly on: string;
  readonly off: string;
  /** `share` of the units, from 0 to 1, get the feature, divided over these variants; the others get the off variant. */
  serve(share: number, variants: readonly Fields[], bucketBy: string | undefined): ServeDocument;
  keyOf(name: string): string;
}

/** Unleash gives it to whoever has no variant. */
const DISABLED = 'disabled';

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
    `it has variants: it is one ${kind} flag here, whose variant is ${DISABLED} (${JSON.stringify(nothing)}) where the feature is off`,
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
    serve(share, given, bucketBy) {
      const parts = given.map((variant) => ({
        variant: keyOf(textOf(variant.name) ?? ''),
        share: numberOf(variant.weight) ?? 0,
      }));
      const whole = parts.reduce((sum, part) => sum + part.share, 0);
      const inside =
        whole > 0 ? parts.map((part) => ({ ...part, share: (part.share / whole) * share })) : [{ variant: on, share }];
      const weights = weightsOf([...inside, { variant: off, share: 1 - share }]).filter(({ weight }) => weight > 0);
      const [only] = weights;
      if (only !== undefined && weights.length === 1) return { variant: only.variant };
      return { rollout: { ...(bucketBy !== undefined && { bucket_by: bucketBy }), weights } };
    },
  };
}

function kindOfPayloads(variants: readonly Fields[]): Kind {
  const types = new Set(variants.map(({ payload }) => textOf(fieldsOf(payload).type) ?? 'none'));
  const [type] = types;
  if (types.size > 1) return 'string';
  return type === 'json' ? 'json' : type === 'number' ? 'number' : 'string';
}

/** Of a variant without a payload, its name. */
function payloadOf(variant: Fields, kind: Kind): unknown {
  const name = textOf(variant.name) ?? '';
  const { value } = fieldsOf(variant.payload);
  if (value === undefined) return name;
  if (kind === 'string') return String(value);
  const parsed = parsedOf(String(value));
  if (parsed === undefined || (kind === 'number' && typeof parsed !== 'number')) {
    throw new NoEqual(`the payload of its variant ${name} is no ${kind}`);
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

/** Overrides name who gets a variant whatever the division says. */
export function overridesOf(
  variants: readonly Fields[],
  plan: VariantPlan,
  note: (what: string) => void,
): EnvironmentDocument['targets'] {
  return variants.flatMap((variant) =>
    fieldsListOf(variant.overrides).flatMap((override) => {
      const values = textsOf(override.values);
      if (values.length === 0) return [];
      note(
        `overrides of the variant ${textOf(variant.name)} are individual targets, and hold also where no strategy matches`,
      );
      const attribute = attributeOf(textOf(override.contextName) ?? '');
      const at = attribute === 'targetingKey' ? {} : { attribute };
      return [{ variant: plan.keyOf(textOf(variant.name) ?? ''), values, ...at }];
    }),
  );
}
