import type { Change, Column, Novelty, WhyInput } from './input.ts';

/** Position in the sample, 1 if selected, milliseconds since 1970, traces of its side before sampling, hash of the trace. */
export type ItemRow = readonly [position: number, selected: number, timeMs: number, population: number, hash: number];

/** The values of a field with the positions of the items that have them, and the items with values that too few share. */
export interface SampledField {
  readonly name: string;
  readonly common: readonly (readonly [value: string, positions: readonly number[]])[];
  readonly rare: readonly number[];
}

export interface SampledVariant {
  readonly flag: string;
  /** With the hashes of their traces. */
  readonly variants: readonly (readonly [variant: string, hashes: readonly number[]])[];
}

export interface SampledNovelty extends Omit<Novelty, 'present'> {
  /** Hashes of the traces that have it. */
  readonly traces: readonly number[];
}

export interface Sample {
  readonly items: readonly ItemRow[];
  readonly fields: readonly SampledField[];
  readonly flags: readonly SampledVariant[];
  readonly changes: readonly Change[];
  readonly novelties: readonly SampledNovelty[];
  readonly defining: ReadonlySet<string>;
}

/** A field is one of many values at once if more than this share of its items has several. */
const severalShare = 0.01;
/** Values of such a field that are columns, the most frequent ones. */
const maxSeveral = 40;
/** Columns of attributes; each takes 24 KiB and a pass over all items. */
const maxColumns = 600;

/** Encodes a sample for the engine. */
export function inputOf({ items, fields, flags, changes, novelties, defining }: Sample): WhyInput {
  const at = new Map(items.map(([position], index) => [position, index]));
  const byHash = new Map(items.map(([, , , , hash], index) => [hash, index]));
  const sampled = [0, 1].map((side) => items.reduce((sum, [, selected]) => sum + (selected === side ? 1 : 0), 0));
  return {
    items: {
      count: items.length,
      selected: Uint8Array.from(items, ([, selected]) => selected),
      timeMs: Float64Array.from(items, ([, , timeMs]) => timeMs),
      weights: Float64Array.from(items, ([, selected, , population]) => population / (sampled[selected] ?? 1)),
    },
    attributes: attributesOf(fields, at, items.length),
    flags: flags.map(({ flag, variants }) => encode(flag, variants, byHash, items.length).column),
    changes,
    novelties: novelties.map(({ traces, ...novelty }) => ({
      ...novelty,
      present: presenceOf(traces, byHash, items.length),
    })),
    defining,
  };
}

function attributesOf(fields: readonly SampledField[], at: ReadonlyMap<number, number>, count: number): Column[] {
  const columns: Column[] = [];
  const own = new Map(fields.map((field) => [field.name, field]));
  for (const field of fields) {
    if (columns.length >= maxColumns) break;
    // OQL's own fields repeat attributes of the resource.
    const bare = field.name.startsWith('resource.') ? own.get(field.name.slice('resource.'.length)) : undefined;
    if (bare !== undefined && JSON.stringify({ ...bare, name: field.name }) === JSON.stringify(field)) continue;
    columns.push(...columnsOf(field, at, count));
  }
  return columns.slice(0, maxColumns);
}

/**
 * The columns of a field: none if all items have the same value. Traces have many spans, so a field may have several values in one trace: then each value is a column of
 * its own, which says whether the trace has it.
 */
function columnsOf({ name, common, rare }: SampledField, at: ReadonlyMap<number, number>, count: number): Column[] {
  const { column, several } = encode(name, common, at, count);
  if (rare.length === 0 && common.length === 1 && common[0]?.[1].length === count) return [];
  const present = column.codes.reduce((sum, code) => sum + (code < 0 ? 0 : 1), 0);
  if (several > present * severalShare)
    return common.slice(0, maxSeveral).map((one) => encode(name, [one], at, count).column);
  // Each item with a rare value counts as one of its own, so that the engine sees how many there are.
  const values = [...column.values];
  for (const position of rare) {
    const index = at.get(position);
    if (index === undefined || (column.codes[index] ?? -1) >= 0) continue;
    column.codes[index] = values.length;
    values.push('');
  }
  return values.length === 0 ? [] : [{ ...column, values }];
}

/** 1 for each item whose trace is among those with the hashes. */
function presenceOf(hashes: readonly number[], byHash: ReadonlyMap<number, number>, count: number): Uint8Array {
  const present = new Uint8Array(count);
  for (const hash of hashes) {
    const index = byHash.get(hash);
    if (index !== undefined) present[index] = 1;
  }
  return present;
}

function encode(
  name: string,
  values: readonly (readonly [value: string, ids: readonly number[]])[],
  at: ReadonlyMap<number, number>,
  count: number,
) {
  const codes = new Int32Array(count).fill(-1);
  let several = 0;
  for (const [code, [, ids]] of values.entries()) {
    for (const id of ids) {
      const index = at.get(id);
      if (index === undefined) continue;
      if ((codes[index] ?? -1) >= 0) several += 1;
      else codes[index] = code;
    }
  }
  return { column: { name, values: values.map(([value]) => value), codes }, several };
}
