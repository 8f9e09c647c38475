import type { PointParts } from './points.ts';
import type { RowWriter } from './row-writer.ts';

/** The columns of a histogram or summary after its times. */
export function writeDistribution(row: RowWriter, bytes: Buffer, parts: PointParts): void {
  row.reserve(64);
  writeCount(row, bytes, parts.countAt);
  writeNullable(row, bytes, parts.sumAt);
  writeNullable(row, bytes, parts.minAt);
  writeNullable(row, bytes, parts.maxAt);
  row.uint8(parts.noRecordedValue ? 1 : 0);
  writeElements(row, bytes, parts.bounds);
  writeElements(row, bytes, parts.bucketCounts);
  row.reserve(24);
  row.uint8(parts.scale);
  writeCount(row, bytes, parts.zeroCountAt);
  row.float64(parts.zeroThreshold);
  row.uint32(parts.positiveOffset);
  writeCounts(row, parts.positiveCounts);
  row.reserve(4);
  row.uint32(parts.negativeOffset);
  writeCounts(row, parts.negativeCounts);
  writeFloats(row, parts.quantiles);
  writeFloats(row, parts.quantileValues);
}

function writeCount(row: RowWriter, bytes: Buffer, at: number): void {
  if (at < 0) row.uint64(0, 0);
  else row.copy(bytes, at, 8);
}

function writeNullable(row: RowWriter, bytes: Buffer, at: number): void {
  row.uint8(at < 0 ? 1 : 0);
  if (at >= 0) row.copy(bytes, at, 8);
}

/** Elements of eight bytes each, as in the body. */
function writeElements(row: RowWriter, bytes: Buffer, ranges: readonly number[]): void {
  let total = 0;
  for (let i = 1; i < ranges.length; i += 2) total += ranges[i] as number;
  row.reserve(5 + total);
  row.varint(total / 8);
  for (let i = 0; i < ranges.length; i += 2) row.copy(bytes, ranges[i] as number, ranges[i + 1] as number);
}

/** @param counts lower and upper half of each */
function writeCounts(row: RowWriter, counts: readonly number[]): void {
  row.reserve(5 + counts.length * 4);
  row.varint(counts.length / 2);
  for (const half of counts) row.uint32(half);
}

function writeFloats(row: RowWriter, values: readonly number[]): void {
  row.reserve(5 + values.length * 8);
  row.varint(values.length);
  for (const value of values) row.float64(value);
}
