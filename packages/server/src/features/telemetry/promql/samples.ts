import { createBreath } from '../../../platform/breath.ts';
import type { SampleBlocks } from './sample-store.ts';

/** The samples of one stored series. */
export interface Columns {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** Samples of one series in the order of their times: those of a block from `begin` to `end`. */
interface Run {
  readonly begin: number;
  readonly end: number;
  /** No two of its samples have the same time. */
  readonly isPlain: boolean;
}

interface Block extends Columns {
  /** Of the sample at a place, if samples of one series have parts of milliseconds. */
  readonly nanosAt: (at: number) => number;
}

export interface Samples {
  /** As many as were read, also of the same millisecond. */
  readonly count: number;
  readonly columns: ReadonlyMap<string, Columns>;
}

/**
 * The answer of `readSamples` as columns, by the series. Of several samples of one millisecond the last one counts. The bits of a
 * value stay as they are; a sample without a value is a staleness marker.
 */
export async function samplesOf(blocks: SampleBlocks): Promise<Samples> {
  const breath = createBreath();
  const columns = new Map<string, Columns>();
  let count = 0;
  for (const [ids, { ends, items: times }, { items: bits }, nanos] of blocks) {
    await breath();
    const values = new Float64Array(bits.buffer);
    let begin = 0;
    for (const [row, id] of ids.entries()) {
      await breath();
      const end = Number(ends[row]);
      const firstNanos = row === 0 ? 0 : Number(nanos.ends[row - 1]);
      const hasNanos = Number(nanos.ends[row]) > firstNanos;
      const offset = firstNanos - begin;
      const block = { times, values, nanosAt: hasNanos ? (at: number) => nanos.items[at + offset] ?? 0 : noNanos };
      columns.set(String(id), seriesOf(block, begin, end));
      begin = end;
    }
    count += times.length;
  }
  return { count, columns };
}

const noNanos = () => 0;

/** One run is a view of its block. */
function seriesOf(block: Block, begin: number, end: number): Columns {
  const runs = [...runsOf(block, begin, end)];
  const [only] = runs;
  if (runs.length === 1 && only?.isPlain === true)
    return { times: block.times.subarray(begin, end), values: block.values.subarray(begin, end) };
  const to = { times: new Float64Array(end - begin), values: new Float64Array(end - begin) };
  const length = areApart(block, runs) ? copied(block, runs, to) : sorted(block, { begin, end }, to);
  return { times: to.times.subarray(0, length), values: to.values.subarray(0, length) };
}

function* runsOf({ times, nanosAt }: Block, from: number, until: number): Generator<Run> {
  for (let begin = from; begin < until; ) {
    let isPlain = true;
    let end = begin + 1;
    for (; end < until; end++) {
      const [before, time] = [times[end - 1] ?? 0, times[end] ?? 0];
      if (time < before || (time === before && nanosAt(end) < nanosAt(end - 1))) break;
      if (time === before) isPlain = false;
    }
    yield { begin, end, isPlain };
    begin = end;
  }
}

/** Sorts runs by their first samples. False: they overlap, or have several samples of one time. */
function areApart({ times }: Block, runs: Run[]): boolean {
  const firstOf = ({ begin }: Run) => times[begin] ?? 0;
  runs.sort((a, b) => firstOf(a) - firstOf(b));
  return runs.every((run, at) => {
    const next = runs[at + 1];
    return run.isPlain && (next === undefined || (times[run.end - 1] ?? 0) < firstOf(next));
  });
}

/** Returns how many samples there are. */
function copied({ times, values }: Block, runs: readonly Run[], to: Columns): number {
  let at = 0;
  for (const { begin, end } of runs) {
    to.times.set(times.subarray(begin, end), at);
    to.values.set(values.subarray(begin, end), at);
    at += end - begin;
  }
  return at;
}

/** As {@link copied}, for any samples. */
function sorted(
  { times, values, nanosAt }: Block,
  { begin, end }: { readonly begin: number; readonly end: number },
  to: Columns,
): number {
  const places = Array.from({ length: end - begin }, (_, i) => begin + i);
  places.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || nanosAt(a) - nanosAt(b));
  let at = 0;
  for (const place of places) {
    const time = times[place] ?? 0;
    if (at > 0 && to.times[at - 1] === time) at--;
    to.times[at] = time;
    // As a whole, since a NaN in a variable may change its bits.
    to.values.set(values.subarray(place, place + 1), at);
    at++;
  }
  return at;
}
