import { span, spanEvent, spanLink } from '../wire/fields.ts';
import { isZero, millisAt, WireReader } from '../wire/reader.ts';
import { type ScanLimits, type ScanOutcome, Verdict } from './outcome.ts';
import { scanAttributed, scanEnvelope, scanKeyValue } from './values.ts';

/**
 * Checks an `ExportTraceServiceRequest`.
 * @throws {WireError} when the structure is broken anywhere, to the last byte.
 * @throws {TooLarge}
 */
export function scanTraces(body: Buffer, limits: ScanLimits): ScanOutcome {
  const verdict = new Verdict(limits);
  scanEnvelope(new WireReader(body), verdict, scanSpan);
  return verdict;
}

/** One case for each field that can be wrong. */
function scanSpan(reader: WireReader, end: number, verdict: Verdict, contextBytes: number): void {
  const { bytes } = reader;
  let traceId = false;
  let spanId = false;
  let start = -1;
  let finish = -1;
  let reason: string | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    switch (tag) {
      case span.traceId: {
        const stop = reader.enter(end);
        traceId = stop - reader.position === 16 && !isZero(bytes, reader.position, stop);
        reader.position = stop;
        break;
      }
      case span.spanId: {
        const stop = reader.enter(end);
        spanId = stop - reader.position === 8 && !isZero(bytes, reader.position, stop);
        reader.position = stop;
        break;
      }
      case span.parentSpanId: {
        const stop = reader.enter(end);
        const length = stop - reader.position;
        if (length !== 0 && length !== 8) reason = 'parent_span_id is not 8 bytes';
        reader.position = stop;
        break;
      }
      case span.start:
        start = reader.position;
        reader.position += 8;
        break;
      case span.end:
        finish = reader.position;
        reader.position += 8;
        break;
      case span.attributes:
        scanKeyValue(reader, reader.enter(end));
        break;
      case span.events:
        scanAttributed(reader, reader.enter(end), spanEvent.attributes);
        break;
      case span.links:
        if (!scanLink(reader, reader.enter(end))) reason = 'a link has no valid trace_id and span_id';
        break;
      case span.status:
        // The transcoder reads it, so a broken one must be rejected here, or the whole request would be quarantined.
        scanAttributed(reader, reader.enter(end), -1);
        break;
      default:
        reader.skip(tag, end);
    }
  }
  reader.finish(end);
  if (!traceId) reason = 'trace_id is not 16 bytes, or all zero';
  else if (!spanId) reason = 'span_id is not 8 bytes, or all zero';
  reason ??= verdict.time(start < 0 ? 0 : millisAt(bytes, start));
  if (finish >= 0 && millisAt(bytes, finish) > verdict.limits.latest)
    reason ??= 'end time is more than a day in the future';
  verdict.item(reason, contextBytes);
}

/** Whether the ids of a link have the right length. */
function scanLink(reader: WireReader, end: number): boolean {
  let traceId = 0;
  let spanId = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === spanLink.attributes) scanKeyValue(reader, reader.enter(end));
    else {
      const from = reader.position;
      reader.skip(tag, end);
      // The length of a 16- or 8-byte field takes one byte.
      if (tag === spanLink.traceId) traceId = reader.position - from - 1;
      else if (tag === spanLink.spanId) spanId = reader.position - from - 1;
    }
  }
  reader.finish(end);
  return traceId === 16 && spanId === 8;
}
