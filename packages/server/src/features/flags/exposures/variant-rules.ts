import type { Flag, Variant } from '@fanion/flag-engine';

const written = new WeakMap<Flag, readonly string[]>();

/** The variant of a flag that has a value, as an SDK reports it; of several equal ones `preferred`, or the first. */
export function variantWith(flag: Flag, value: unknown, preferred?: Variant): Variant | undefined {
  const texts = written.get(flag) ?? flag.variants.map((variant) => JSON.stringify(variant.value));
  written.set(flag, texts);
  const text = JSON.stringify(value);
  const has = (variant: Variant | undefined) => variant !== undefined && texts[flag.variants.indexOf(variant)] === text;
  return has(preferred) ? preferred : flag.variants.find(has);
}
