import {
  buckets,
  exemplar,
  exponentialPoint,
  histogramPoint,
  metric,
  metricData,
  numberPoint,
  summaryPoint,
} from '../wire/fields.ts';
import { LENGTH, millisAt, WireError, WireReader } from '../wire/reader.ts';
import { type ScanLimits, type ScanOutcome, Verdict } from './outcome.ts';
import { scanAttributed, scanEnvelope, scanKeyValue } from './values.ts';

const MAX_NAME_BYTES = 1024;
/** One packed byte of the body can become eight bytes of a row; the SDKs use 160 buckets. */
const MAX_BUCKETS = 20_000;

/**
 * Checks an `ExportMetricsServiceRequest`; its items are data points.
 * @throws {WireError} when the structure is broken anywhere, to the last byte.
 * @throws {TooLarge}
 */
export function scanMetrics(body: Buffer, limits: ScanLimits): ScanOutcome {
  const verdict = new Verdict(limits);
  scanEnvelope(new WireReader(body), verdict, scanMetric);
  return verdict;
}

/** Why the points of a metric are refused for its name. */
export function metricNameReason(nameBytes: number): string | undefined {
  if (nameBytes <= 0) return 'the metric has no name';
  return nameBytes > MAX_NAME_BYTES ? 'the metric name is over 1 KiB' : undefined;
}

function scanMetric(reader: WireReader, end: number, verdict: Verdict, outerBytes: number): void {
  const start = reader.position;
  let nameBytes = 0;
  let contextBytes = outerBytes;
  while (reader.position < end) {
    const tag = reader.tag();
    const from = reader.position;
    reader.skip(tag, end);
    if (tag === metric.name) nameBytes = reader.position - from - 1;
    if (tag === metric.name || tag === metric.description || tag === metric.unit)
      contextBytes += reader.position - from;
  }
  reader.finish(end);
  const reason = metricNameReason(nameBytes);

  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    const scanPoint = pointScanners.get(tag);
    if (scanPoint === undefined) reader.skip(tag, end);
    else scanData(reader, reader.enter(end), scanPoint, verdict, reason, contextBytes);
  }
}

/** Returns the reason to reject the point. */
type ScanPoint = (reader: WireReader, end: number, verdict: Verdict) => string | undefined;

function scanData(
  reader: WireReader,
  end: number,
  scanPoint: ScanPoint,
  verdict: Verdict,
  metricReason: string | undefined,
  contextBytes: number,
): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === metricData.points) {
      const reason = scanPoint(reader, reader.enter(end), verdict);
      verdict.item(metricReason ?? reason, contextBytes);
    } else reader.skip(tag, end);
  }
  reader.finish(end);
}

function scanNumberPoint(reader: WireReader, end: number, verdict: Verdict): string | undefined {
  let time = -1;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === numberPoint.time) {
      time = reader.position;
      reader.position += 8;
    } else if (tag === numberPoint.attributes) scanKeyValue(reader, reader.enter(end));
    else if (tag === numberPoint.exemplars) scanAttributed(reader, reader.enter(end), exemplar.attributes);
    else reader.skip(tag, end);
  }
  reader.finish(end);
  return verdict.time(time < 0 ? 0 : millisAt(reader.bytes, time));
}

function scanHistogramPoint(reader: WireReader, end: number, verdict: Verdict): string | undefined {
  let time = -1;
  let counts = 0;
  let bounds = 0;
  let last = Number.NEGATIVE_INFINITY;
  let isRising = true;
  const noteBound = (at: number) => {
    // Truncation is detected at the end of the point.
    const bound = at + 8 > reader.bytes.length ? Number.NaN : reader.bytes.readDoubleLE(at);
    // The first may be any number, and none may be NaN.
    isRising &&= bounds === 0 ? !Number.isNaN(bound) : bound > last;
    last = bound;
    bounds++;
  };
  while (reader.position < end) {
    const tag = reader.tag();
    switch (tag) {
      case histogramPoint.time:
        time = reader.position;
        reader.position += 8;
        break;
      case histogramPoint.bucketCounts:
        counts += packedDoubles(reader, end);
        break;
      case histogramPoint.bounds:
        for (let left = packedDoubles(reader, end); left > 0; left--) noteBound(reader.position - 8 * left);
        break;
      case histogramPoint.attributes:
        scanKeyValue(reader, reader.enter(end));
        break;
      case histogramPoint.exemplars:
        scanAttributed(reader, reader.enter(end), exemplar.attributes);
        break;
      default:
        if (tag === histogramPoint.bucketCount) counts++;
        if (tag === histogramPoint.bound) noteBound(reader.position);
        reader.skip(tag, end);
    }
  }
  reader.finish(end);
  if (counts > MAX_BUCKETS || bounds > MAX_BUCKETS) return `more than ${MAX_BUCKETS} buckets`;
  if (counts !== 0 && counts !== bounds + 1) return 'bucket_counts has not one element more than explicit_bounds';
  if (counts === 0 && bounds !== 0) return 'explicit_bounds without bucket_counts';
  // Data model, "Histogram": strictly increasing; overlapping buckets would give wrong quantiles.
  if (!isRising) return 'explicit_bounds do not increase';
  return verdict.time(time < 0 ? 0 : millisAt(reader.bytes, time));
}

/** Skips a packed field and returns the number of its 8-byte elements. */
function packedDoubles(reader: WireReader, end: number): number {
  const stop = reader.enter(end);
  const length = stop - reader.position;
  reader.position = stop;
  if (length % 8 !== 0) throw new WireError('a packed field ends within an element');
  return length / 8;
}

function scanExponentialPoint(reader: WireReader, end: number, verdict: Verdict): string | undefined {
  let time = -1;
  let widest = 0;
  let scale = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    switch (tag) {
      case exponentialPoint.time:
        time = reader.position;
        reader.position += 8;
        break;
      case exponentialPoint.scale:
        scale = zigzag(reader.varint());
        break;
      case exponentialPoint.positive:
      case exponentialPoint.negative:
        widest = Math.max(widest, scanBuckets(reader, reader.enter(end)));
        break;
      case exponentialPoint.attributes:
        scanKeyValue(reader, reader.enter(end));
        break;
      case exponentialPoint.exemplars:
        scanAttributed(reader, reader.enter(end), exemplar.attributes);
        break;
      default:
        reader.skip(tag, end);
    }
  }
  reader.finish(end);
  if (widest > MAX_BUCKETS) return `more than ${MAX_BUCKETS} buckets`;
  // Data model, "Exponential Scale": 20 is the finest that a double can distinguish, and -10 covers its whole range.
  if (scale < -10 || scale > 20) return 'scale is not within -10 and 20';
  return verdict.time(time < 0 ? 0 : millisAt(reader.bytes, time));
}

function scanBuckets(reader: WireReader, end: number): number {
  let count = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === buckets.counts) {
      const stop = reader.enter(end);
      for (; reader.position < stop; count++) reader.varint();
      reader.finish(stop);
    } else {
      if (tag === buckets.count) count++;
      reader.skip(tag, end);
    }
  }
  reader.finish(end);
  return count;
}

/** `sint32` (protobuf encoding guide, "Signed Integers"). */
export function zigzag(encoded: number): number {
  return encoded % 2 === 0 ? encoded / 2 : -(encoded + 1) / 2;
}

function scanSummaryPoint(reader: WireReader, end: number, verdict: Verdict): string | undefined {
  let time = -1;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === summaryPoint.time) {
      time = reader.position;
      reader.position += 8;
    } else if (tag === summaryPoint.attributes) scanKeyValue(reader, reader.enter(end));
    else if ((tag & 7) === LENGTH) {
      const stop = reader.enter(end);
      if (tag === summaryPoint.quantiles) scanAttributed(reader, stop, -1);
      reader.position = stop;
    } else reader.skip(tag, end);
  }
  reader.finish(end);
  return verdict.time(time < 0 ? 0 : millisAt(reader.bytes, time));
}

const pointScanners = new Map<number, ScanPoint>([
  [metric.gauge, scanNumberPoint],
  [metric.sum, scanNumberPoint],
  [metric.histogram, scanHistogramPoint],
  [metric.exponentialHistogram, scanExponentialPoint],
  [metric.summary, scanSummaryPoint],
]);
