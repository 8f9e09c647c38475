import { logRecord } from '../wire/fields.ts';
import { isZero, millisAt, WireReader } from '../wire/reader.ts';
import { type ScanLimits, type ScanOutcome, Verdict } from './outcome.ts';
import { scanAnyValue, scanEnvelope, scanKeyValue } from './values.ts';

/**
 * Checks an `ExportLogsServiceRequest`. A record without a time gets its observed time, or else the time of its
 * arrival, so only a given time can be wrong.
 * @throws {WireError} when the structure is broken anywhere, to the last byte.
 * @throws {TooLarge}
 */
export function scanLogs(body: Buffer, limits: ScanLimits): ScanOutcome {
  const verdict = new Verdict(limits);
  scanEnvelope(new WireReader(body), verdict, scanLogRecord);
  return verdict;
}

function scanLogRecord(reader: WireReader, end: number, verdict: Verdict, contextBytes: number): void {
  let time = -1;
  let observed = -1;
  let reason: string | undefined;
  while (reader.position < end) {
    const tag = reader.tag();
    switch (tag) {
      case logRecord.time:
        time = timeAt(reader, end);
        break;
      case logRecord.observedTime:
        observed = timeAt(reader, end);
        break;
      case logRecord.body:
        scanAnyValue(reader, reader.enter(end));
        break;
      case logRecord.attributes:
        scanKeyValue(reader, reader.enter(end));
        break;
      case logRecord.traceId: {
        const stop = reader.enter(end);
        if (!isLength(stop - reader.position, 16)) reason = 'trace_id is not 16 bytes';
        reader.position = stop;
        break;
      }
      case logRecord.spanId: {
        const stop = reader.enter(end);
        if (!isLength(stop - reader.position, 8)) reason = 'span_id is not 8 bytes';
        reader.position = stop;
        break;
      }
      default:
        reader.skip(tag, end);
    }
  }
  reader.finish(end);
  const given = time >= 0 ? time : observed;
  if (given >= 0) reason ??= verdict.time(given);
  else verdict.isUntimed = true;
  verdict.item(reason, contextBytes);
}

/** Milliseconds, or -1 for 0, which means unknown. A truncated time is detected at the end of the message. */
function timeAt(reader: WireReader, end: number): number {
  const at = reader.position;
  reader.position += 8;
  const isGiven = reader.position <= end && !isZero(reader.bytes, at, at + 8);
  return isGiven ? millisAt(reader.bytes, at) : -1;
}

function isLength(length: number, wanted: number): boolean {
  return length === 0 || length === wanted;
}
