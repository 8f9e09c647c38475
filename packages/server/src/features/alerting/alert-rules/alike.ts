import type { Variant } from '@fanion/oql';

/** Rules that are asked together at most. */
const mostTogether = 1_000;
/** Where that fails, so many parts of them are asked. */
const parts = 10;

/** The queries of rules that have one shape: they ask for the same windows, and differ in literals at most. */
export interface Alike {
  add(shape: string, ruleId: string, variant: Variant): void;
  remove(shape: string, ruleId: string): void;
  /** The variants that are asked together with one of a shape, this one included; the same array until they change. */
  togetherWith(shape: string, variant: Variant): readonly Variant[];
}

interface Shape {
  readonly variants: Map<string, Variant>;
  /** By the literals; undefined after a change. */
  groups: ReadonlyMap<string, readonly Variant[]> | undefined;
}

export function createAlike(): Alike {
  const shapes = new Map<string, Shape>();
  return {
    add(shape, ruleId, variant) {
      const of = shapes.get(shape) ?? { variants: new Map<string, Variant>(), groups: undefined };
      of.variants.set(ruleId, variant);
      of.groups = undefined;
      shapes.set(shape, of);
    },
    remove(shape, ruleId) {
      const of = shapes.get(shape);
      if (of === undefined || !of.variants.delete(ruleId)) return;
      of.groups = undefined;
      if (of.variants.size === 0) shapes.delete(shape);
    },
    togetherWith(shape, variant) {
      const of = shapes.get(shape);
      if (of === undefined) return [variant];
      of.groups ??= groupsOf([...of.variants.values()]);
      return of.groups.get(literalsOf(variant)) ?? [variant];
    },
  };
}

const smaller = new WeakMap<readonly Variant[], ReadonlyMap<string, readonly Variant[]>>();

/** The part of a group with one of its variants, for a group that cannot be asked together; the same array each time. */
export function partWith(group: readonly Variant[], variant: Variant): readonly Variant[] {
  if (group.length <= 1) return group;
  const known = smaller.get(group) ?? slicesOf(group, Math.ceil(group.length / parts));
  smaller.set(group, known);
  return known.get(literalsOf(variant)) ?? [variant];
}

/** Neighbours in the order of their literals share as many of them as possible. */
function groupsOf(variants: readonly Variant[]): ReadonlyMap<string, readonly Variant[]> {
  const distinct = new Map(variants.map((variant) => [literalsOf(variant), variant]));
  const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1));
  return slicesOf(
    sorted.map(([, variant]) => variant),
    mostTogether,
  );
}

/** Slices of so many variants, by the literals of each variant. */
function slicesOf(variants: readonly Variant[], size: number): ReadonlyMap<string, readonly Variant[]> {
  const slices = new Map<string, readonly Variant[]>();
  for (let at = 0; at < variants.length; at += size) {
    const slice = variants.slice(at, at + size);
    for (const variant of slice) slices.set(literalsOf(variant), slice);
  }
  return slices;
}

function literalsOf({ literals }: Variant): string {
  return JSON.stringify(literals.map(({ printed }) => printed));
}
