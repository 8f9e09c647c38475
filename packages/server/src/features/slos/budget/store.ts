import { RowWriter } from '@fanion/telemetry';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { TelemetryWriter } from '../../../platform/telemetry-writer.ts';
import { addCounts, type Counts, noCounts } from './budget-rules.ts';

/** The minutes of an SLO: its id, its place, and the revision of its indicator. */
export interface CountedSlo {
  readonly id: string;
  /** Its rows are those of the project; the environment is part of what they count. */
  readonly scope: TelemetryScope;
  readonly revision: number;
}

/** Events of the minute (or slice) that begins at a time, in seconds since the epoch. */
export interface Minute extends Counts {
  readonly at: number;
}

/** Half-open, in milliseconds since the epoch. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Versions of a revision lie above those of all earlier ones. Within a revision, the run of the job that began last has the highest
 * epoch.
 */
const revisionBits = 40;
const revisionStep = 2n ** BigInt(revisionBits);

const columns = ['workspace', 'project', 'environment', 'slo', 'minute', 'version', 'good', 'total'] as const;

/** Writes minutes; of the rows of a minute, those of the highest epoch of the highest revision count. */
export async function insertMinutes(
  store: TelemetryWriter,
  rows: readonly (Minute & { readonly slo: CountedSlo })[],
  epoch: number,
  signal: AbortSignal,
): Promise<void> {
  if (rows.length === 0) return;
  const writer = new RowWriter();
  for (const { slo, at, good, total } of rows) {
    const { workspace, project, environment } = slo.scope;
    writer.reserve(64);
    writer.uint32(workspace);
    writer.uint32(project ?? 0);
    writer.text(environment ?? '');
    writer.reserve(64);
    writeUuid(writer, slo.id);
    writer.uint32(at);
    writeUint64(writer, BigInt(slo.revision) * revisionStep + BigInt(epoch));
    writer.float64(good);
    writer.float64(total);
  }
  const first = rows[0];
  const token = `slo_minutes/${first?.slo.id}/${first?.slo.revision}/${epoch}/${first?.at}/${rows.length}`;
  await store.insert('slo_minutes', columns, 'RowBinary', writer.bytes.subarray(0, writer.length), { token, signal });
}

/** ClickHouse writes a UUID as two little-endian numbers, the first half of the text first. */
function writeUuid(writer: RowWriter, id: string): void {
  const hex = id.replaceAll('-', '');
  writeUint64(writer, BigInt(`0x${hex.slice(0, 16)}`));
  writeUint64(writer, BigInt(`0x${hex.slice(16)}`));
}

function writeUint64(writer: RowWriter, value: bigint): void {
  writer.uint64(Number(value & 0xffff_ffffn), Number(value >> 32n));
}

function placeOf({ scope }: CountedSlo): TelemetryScope {
  return { ...scope, environment: undefined };
}

function bound({ id, revision }: CountedSlo, { fromMs, toMs }: Range) {
  return {
    slo: id,
    lowest: String(BigInt(revision) * revisionStep),
    highest: String(BigInt(revision + 1) * revisionStep - 1n),
    from: Math.floor(fromMs / 1_000),
    to: Math.ceil(toMs / 1_000),
  };
}

/** The minutes of a range, each with what counts of it. */
function minutesOf(scope: TelemetryScope): string {
  return `SELECT minute, argMax(slo_minutes.good, slo_minutes.version) AS good, argMax(slo_minutes.total, slo_minutes.version) AS total
    FROM slo_minutes WHERE ${inScope(scope)} AND slo = {slo:UUID} AND version BETWEEN {lowest:UInt64} AND {highest:UInt64}
      AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC') GROUP BY minute`;
}

export async function listMinutes(
  telemetry: ScopedTelemetry,
  slo: CountedSlo,
  range: Range,
  signal: AbortSignal,
): Promise<Minute[]> {
  const scope = placeOf(slo);
  return telemetry.rows<Minute>(
    scope,
    `SELECT toUInt32(minute) AS at, good, total FROM (${minutesOf(scope)}) ORDER BY at`,
    bound(slo, range),
    signal,
  );
}

/** Parts of a window that a trend has. */
const trendParts = 30;
/** SLOs of one statement: a window of 90 days has 130,000 minutes, which it groups in memory. */
const summedAtOnce = 8;

export interface Sums {
  /** In the order of the ranges; `measured` is the number of minutes (or slices) with events. */
  readonly ranges: readonly (Counts & { readonly measured: number })[];
  /** The first range in 30 equal parts, the oldest first. */
  readonly trend: readonly Counts[];
}

/**
 * The counts of ranges that end at the same time: of each SLO as many, which begin at `fromMs`.
 * @param slos of one project
 */
export async function sumRanges(
  telemetry: ScopedTelemetry,
  slos: readonly { readonly slo: CountedSlo; readonly fromMs: readonly number[] }[],
  toMs: number,
  signal: AbortSignal,
): Promise<Sums[]> {
  const found: Sums[] = [];
  for (let at = 0; at < slos.length; at += summedAtOnce)
    found.push(...(await sumSome(telemetry, slos.slice(at, at + summedAtOnce), toMs, signal)));
  return found;
}

/** Counts of the minutes of a part of the window that lie in the same ranges. */
interface PartRow extends Counts {
  /** Of the SLO, from 1. */
  readonly nth: number;
  readonly part: number;
  /** Bit i is set where the minutes lie in range i. */
  readonly ranges: number;
  readonly measured: number;
}

async function sumSome(
  telemetry: ScopedTelemetry,
  slos: readonly { readonly slo: CountedSlo; readonly fromMs: readonly number[] }[],
  toMs: number,
  signal: AbortSignal,
): Promise<Sums[]> {
  const [first] = slos;
  if (first === undefined) return [];
  const scope = placeOf(first.slo);
  const ranges = first.fromMs.map((_, i) => i);
  const to = Math.ceil(toMs / 1_000);
  const startsOf = (i: number) => slos.map(({ fromMs }) => Math.floor((fromMs[i] ?? toMs) / 1_000));
  const start = (i: number) => `{start${i}:Array(UInt32)}[nth]`;
  const rows = await telemetry.rows<PartRow>(
    scope,
    // Each minute is added up once, and not once for each range: the ranges of a row are a group of their own.
    `SELECT nth, toUInt32(if(at < ${start(0)}, ${trendParts}, intDiv(at - ${start(0)}, {width:Array(UInt32)}[nth]))) AS part,
       toUInt32(${ranges.map((i) => `(at >= ${start(i)}) * ${2 ** i}`).join(' + ')}) AS ranges,
       sum(found_good) AS good, sum(found_total) AS total, toFloat64(countIf(found_total > 0)) AS measured
     FROM (SELECT toUInt8(indexOf({slos:Array(UUID)}, slo)) AS nth, toUInt32(minute) AS at,
         argMax(slo_minutes.good, slo_minutes.version) AS found_good, argMax(slo_minutes.total, slo_minutes.version) AS found_total
       FROM slo_minutes WHERE ${inScope(scope)} AND slo IN {slos:Array(UUID)}
         AND bitShiftRight(version, ${revisionBits}) = {revisions:Array(UInt64)}[indexOf({slos:Array(UUID)}, slo)]
         AND minute >= toDateTime({from:UInt32}, 'UTC') AND minute < toDateTime({to:UInt32}, 'UTC') GROUP BY nth, at)
     GROUP BY nth, part, ranges`,
    {
      slos: slos.map(({ slo }) => slo.id),
      revisions: slos.map(({ slo }) => slo.revision),
      width: startsOf(0).map((from) => Math.max(1, Math.ceil((to - from) / trendParts))),
      from: Math.min(...ranges.flatMap(startsOf)),
      to,
      ...Object.fromEntries(ranges.map((i) => [`start${i}`, startsOf(i)])),
    },
    signal,
  );
  return slos.map((_, index) => {
    const own = rows.filter(({ nth }) => nth === index + 1);
    const inRange = (i: number) => own.filter((row) => Math.floor(row.ranges / 2 ** i) % 2 === 1);
    return {
      ranges: ranges.map((i) => ({
        ...inRange(i).reduce<Counts>(addCounts, noCounts),
        measured: inRange(i).reduce((sum, { measured }) => sum + measured, 0),
      })),
      trend: Array.from({ length: trendParts }, (_, part) =>
        inRange(0)
          .filter((row) => row.part === part)
          .reduce<Counts>(addCounts, noCounts),
      ),
    };
  });
}

/**
 * The counts of steps of time, each within one of the parts that the boundaries divide time into. Steps between `joined.fromMs` and
 * `joined.toMs` come as one.
 */
export async function listSteps(
  telemetry: ScopedTelemetry,
  slo: CountedSlo,
  { stepMs, joined, boundaries, ...range }: Range & { stepMs: number; joined: Range; boundaries: readonly number[] },
  signal: AbortSignal,
): Promise<(Counts & { readonly at: number; readonly period: number })[]> {
  const scope = placeOf(slo);
  return telemetry.rows(
    scope,
    `SELECT if(counted.at >= {joined_from:UInt32} AND counted.at < {joined_to:UInt32}, {joined_from:UInt32}, intDiv(counted.at, {step:UInt32}) * {step:UInt32}) AS at,
       toUInt32(arrayCount(boundary -> counted.at >= boundary, {boundaries:Array(UInt32)})) AS period, sum(counted.good) AS good, sum(counted.total) AS total
     FROM (SELECT toUInt32(minute) AS at, good, total FROM (${minutesOf(scope)})) AS counted GROUP BY at, period ORDER BY at, period`,
    {
      ...bound(slo, range),
      step: stepMs / 1_000,
      joined_from: joined.fromMs / 1_000,
      joined_to: joined.toMs / 1_000,
      boundaries: boundaries.map((ms) => ms / 1_000),
    },
    signal,
  );
}
