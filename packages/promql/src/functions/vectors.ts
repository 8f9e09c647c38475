import type { Annotations } from '../annotations.ts';
import type { Call, Position } from '../ast.ts';
import { ABSENT, type Column, columnOf, FLOAT, setFloat, unlessEmpty, type Value } from '../columns.ts';
import { type Grid, timeOf } from '../grid.ts';
import type { LabelSets } from '../label-sets.ts';
import type { Work } from '../work.ts';
import { absentColumns, absentLabels } from './absent.ts';
import { CALENDAR_FUNCTIONS } from './calendar.ts';
import { histogramFractions, histogramQuantiles } from './distributions.ts';
import { labelJoin, labelReplace } from './labels.ts';
import { HISTOGRAM_FUNCTIONS, mapHistograms } from './native.ts';
import {
  type ColumnFunction,
  clamped,
  mapFloats,
  NUMBER_FUNCTIONS,
  rounded,
  scalarOf,
  sortedByValue,
} from './numbers.ts';

export interface CallContext {
  readonly grid: Grid;
  readonly sets: LabelSets;
  readonly notes: Annotations;
  readonly work: Work;
  /** Whether the whole query has one step. */
  readonly isInstant: boolean;
}

const vector = (columns: readonly Column[]): Value => ({ type: 'vector', columns });

/** Calls a function of instant vectors and scalars. The types of the arguments were checked. */
export async function callFunction(call: Call, values: readonly Value[], context: CallContext): Promise<Value> {
  const { fn, args, position } = call;
  const { grid, sets, notes, work } = context;
  const columns = (index: number): readonly Column[] => {
    const value = values[index];
    return value?.type === 'vector' ? value.columns : [];
  };
  const mapped = async (of: ColumnFunction, all = columns(0)) => vector(await work.map(all, grid.count, of));
  const scalars = (index: number): Float64Array => {
    const value = values[index];
    return value?.type === 'scalar' ? value.values : new Float64Array(grid.count);
  };
  const at = (index: number): Position => args[index]?.position ?? position;
  const ofNumbers = NUMBER_FUNCTIONS.get(fn);
  if (ofNumbers !== undefined) return mapped(mapFloats(ofNumbers));
  const ofTimes = CALENDAR_FUNCTIONS.get(fn);
  if (ofTimes !== undefined) return mapped(mapFloats(ofTimes), args.length === 0 ? [timesColumn(context)] : columns(0));
  const ofHistograms = HISTOGRAM_FUNCTIONS.get(fn);
  if (ofHistograms !== undefined) return mapped(mapHistograms(ofHistograms));
  switch (fn) {
    case 'time':
      return { type: 'scalar', values: timesColumn(context).values };
    case 'pi':
      return { type: 'scalar', values: new Float64Array(grid.count).fill(Math.PI) };
    case 'scalar':
      return { type: 'scalar', values: scalarOf(columns(0), grid.count) };
    case 'vector':
      return vector([{ ...columnOf(sets.empty, false, grid.count), ...filled(scalars(0)) }]);
    case 'clamp':
      return mapped(clamped(scalars(1), scalars(2)));
    case 'clamp_min':
      return mapped(clamped(scalars(1), constant(grid, Number.POSITIVE_INFINITY)));
    case 'clamp_max':
      return mapped(clamped(constant(grid, Number.NEGATIVE_INFINITY), scalars(1)));
    case 'round':
      return mapped(rounded(args.length > 1 ? scalars(1) : undefined));
    case 'absent':
      return vector(absentColumns(columns(0), absentOf(call, sets), grid.count));
    case 'timestamp':
      // Of computed values; those of selectors are read where samples are selected.
      return mapped((column) => stepTimes(column, grid));
    case 'sort':
    case 'sort_desc':
      if (context.isInstant) return vector(sortedByValue(columns(0), fn === 'sort' ? 'rising' : 'falling'));
      notes.sortInRange(position);
      return mapped(withoutHistograms);
    case 'label_replace':
      return vector(await labelReplace(columns(0), strings(values), { sets, work }));
    case 'label_join':
      return vector(await labelJoin(columns(0), strings(values), { sets, work }));
    case 'histogram_quantile':
      return vector(await histogramQuantiles(columns(1), scalars(0), { grid, sets, notes, work, at: at(1) }, at(0)));
    case 'histogram_fraction':
      return vector(
        await histogramFractions(columns(2), scalars(0), scalars(1), { grid, sets, notes, work, at: at(2) }),
      );
    default:
      throw new Error(`function without an implementation: ${fn}`);
  }
}

function strings(values: readonly Value[]): string[] {
  return values.flatMap((value) => (value.type === 'string' ? [value.value] : []));
}

function absentOf({ args }: Call, sets: LabelSets): ReturnType<typeof absentLabels> {
  const [argument] = args;
  return argument === undefined ? sets.empty : absentLabels(argument, sets);
}

function constant(grid: Grid, value: number): Float64Array {
  return new Float64Array(grid.count).fill(value);
}

function filled(values: Float64Array): { readonly kinds: Uint8Array; readonly values: Float64Array } {
  return { kinds: new Uint8Array(values.length).fill(1), values };
}

/** The time of each step, in seconds. */
function timesColumn({ grid, sets }: CallContext): Column {
  const column = columnOf(sets.empty, false, grid.count);
  for (let step = 0; step < grid.count; step++) setFloat(column, step, timeOf(grid, step) / 1_000);
  return column;
}

function stepTimes({ labels, kinds }: Column, grid: Grid): Column {
  const out = columnOf(labels, true, kinds.length);
  kinds.forEach((kind, step) => {
    if (kind !== 0) setFloat(out, step, timeOf(grid, step) / 1_000);
  });
  return out;
}

function withoutHistograms(column: Column): Column | undefined {
  const kinds = column.kinds.map((kind) => (kind === FLOAT ? FLOAT : ABSENT));
  return unlessEmpty({ ...column, kinds, histograms: undefined });
}
