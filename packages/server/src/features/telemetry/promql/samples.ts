import { createBreath } from '../../../platform/breath.ts';
import { nativeBlocks } from '../../../platform/clickhouse/index.ts';
import { sampleTypes } from './sample-store.ts';

/** The samples of one stored series. */
export interface Columns {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** Samples of one series that follow each other in a block: `[begin, end)`, by time. */
interface Run {
  readonly block: Block;
  readonly begin: number;
  readonly end: number;
  /** Each has a time of its own. */
  readonly isPlain: boolean;
}

interface Block extends Columns {
  readonly nanos: Uint32Array;
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
export async function samplesOf(chunks: readonly Buffer[]): Promise<Samples> {
  const breath = createBreath();
  const series = new Map<bigint, Run[]>();
  let count = 0;
  for (const [ids, times, bits, nanos] of nativeBlocks(chunks, sampleTypes)) {
    await breath();
    count += ids.length;
    for (const [id, run] of runsOf(ids, { times, values: new Float64Array(bits.buffer), nanos })) {
      const known = series.get(id);
      if (known === undefined) series.set(id, [run]);
      else known.push(run);
    }
  }
  const all = { times: new Float64Array(count), values: new Float64Array(count) };
  const columns = new Map<string, Columns>();
  let begin = 0;
  for (const [id, runs] of series) {
    await breath();
    const end = areApart(runs) ? copied(runs, all, begin) : sorted(runs, all, begin);
    columns.set(String(id), { times: all.times.subarray(begin, end), values: all.values.subarray(begin, end) });
    begin = end;
  }
  return { count, columns };
}

function* runsOf(ids: BigUint64Array, block: Block): Generator<readonly [id: bigint, run: Run]> {
  const { times, nanos } = block;
  // Numbers, since each read of a 64-bit integer would make an object.
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  for (let begin = 0; begin < ids.length; ) {
    const [low, high] = [halves[2 * begin], halves[2 * begin + 1]];
    let isPlain = true;
    let end = begin + 1;
    for (; end < ids.length && halves[2 * end] === low && halves[2 * end + 1] === high; end++) {
      const [before, time] = [times[end - 1] ?? 0, times[end] ?? 0];
      if (time < before || (time === before && (nanos[end] ?? 0) < (nanos[end - 1] ?? 0))) break;
      if (time === before) isPlain = false;
    }
    yield [ids[begin] ?? 0n, { block, begin, end, isPlain }];
    begin = end;
  }
}

/** Sorts runs by their first samples. False: they overlap, or have several samples of one time. */
function areApart(runs: Run[]): boolean {
  const firstOf = ({ block, begin }: Run) => block.times[begin] ?? 0;
  runs.sort((a, b) => firstOf(a) - firstOf(b));
  return runs.every((run, at) => {
    const next = runs[at + 1];
    return run.isPlain && (next === undefined || (run.block.times[run.end - 1] ?? 0) < firstOf(next));
  });
}

/** Returns where the samples end in `to`. */
function copied(runs: readonly Run[], to: Columns, from: number): number {
  let at = from;
  for (const { block, begin, end } of runs) {
    to.times.set(block.times.subarray(begin, end), at);
    to.values.set(block.values.subarray(begin, end), at);
    at += end - begin;
  }
  return at;
}

/** As {@link copied}, for any runs. */
function sorted(runs: readonly Run[], to: Columns, from: number): number {
  const samples = runs.flatMap(({ block, begin, end }) =>
    Array.from({ length: end - begin }, (_, i) => ({
      block,
      index: begin + i,
      time: block.times[begin + i] ?? 0,
      nanos: block.nanos[begin + i] ?? 0,
    })),
  );
  samples.sort((a, b) => a.time - b.time || a.nanos - b.nanos);
  let at = from;
  for (const { block, index, time } of samples) {
    if (at > from && to.times[at - 1] === time) at--;
    to.times[at] = time;
    // As a whole, since a NaN in a variable may change its bits.
    to.values.set(block.values.subarray(index, index + 1), at);
    at++;
  }
  return at;
}
