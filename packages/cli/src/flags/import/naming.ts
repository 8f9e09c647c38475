import { stable } from '../../files/differences.ts';
import type { Report } from '../../files/report.ts';
import type { FlagDocument, VariantDocument } from '../document.ts';

const MAX_KEY_LENGTH = 128;

/** Gives each name of a file a valid and unique key. */
export interface Keys {
  /** Returns the same key for the same name. */
  of(name: string): string;
}

/**
 * @param kind in the report: `flag`, `segment`
 * @param upperCase allowed for flags and variants, not for segments and tags
 */
export function createKeys(kind: string, upperCase: boolean, report: Report): Keys {
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  return {
    of(name) {
      const known = keys.get(name);
      if (known !== undefined) return known;
      const wanted = keyOf(name, upperCase);
      let key = wanted;
      for (let i = 2; taken.has(key); i++) key = `${wanted.slice(0, MAX_KEY_LENGTH - 4)}-${i}`;
      taken.add(key);
      keys.set(name, key);
      if (key !== name) report.changed(`${kind} ${name}`, `its key is ${key} here`);
      return key;
    },
  };
}

/** The closest valid key. */
export function keyOf(name: string, upperCase: boolean): string {
  const text = (upperCase ? name : name.toLowerCase()).replace(/[^a-zA-Z0-9._-]+/g, '-').replace(/^[._-]+/, '');
  return text.slice(0, MAX_KEY_LENGTH) || 'unnamed';
}

export type Kind = FlagDocument['kind'];

/** The kind of a flag that serves these values. Without any, it is undefined, and the report says so. */
export function kindOf(values: readonly unknown[], where: string, report: Report): Kind | undefined {
  const kinds = new Set(values.map((value) => (typeof value === 'object' ? 'json' : typeof value)));
  const [kind] = kinds;
  if (kinds.size > 1) {
    report.changed(where, 'its values are of several types: it is a JSON flag here');
    return 'json';
  }
  if (kind === undefined) report.lost(where, 'it has no values; the flag is not imported');
  return kind === 'boolean' || kind === 'string' || kind === 'number' || kind === 'json' ? kind : undefined;
}

/** Variants for values without names: a value gets the same variant each time. */
export function variantsOfValues(): { keyOf(value: unknown): string; readonly variants: VariantDocument[] } {
  const byValue = new Map<string, VariantDocument>();
  const taken = new Set<string>();
  return {
    keyOf(value) {
      const known = byValue.get(stable(value));
      if (known !== undefined) return known.key;
      const key = freeKey(typeof value === 'object' ? 'value' : String(value), taken);
      byValue.set(stable(value), { key, value });
      return key;
    },
    get variants() {
      return [...byValue.values()];
    },
  };
}

/** A short, unused variant key derived from its name or value. */
export function freeKey(name: string, taken: Set<string>): string {
  const wanted = keyOf(name, true).slice(0, 40).replace(/-+$/, '');
  let key = wanted;
  for (let i = 2; taken.has(key); i++) key = `${wanted}-${i}`;
  taken.add(key);
  return key;
}
