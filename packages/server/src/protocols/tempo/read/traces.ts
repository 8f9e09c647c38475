import { jsonToProtobuf, WireWriter } from '@fanion/telemetry';
import type { SpanRow, TraceService } from '../../../features/telemetry/traces/index.ts';
import { createBreath } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import type { Place } from '../../read/request.ts';
import { base64Id, hexId, type ResourceSpans, resourceSpansOf } from './trace-rules.ts';

/** Spans that are written at once, so that other requests get a turn in between. */
const spansAtOnce = 200;

/** The 32 hex digits of a trace's id: leading zeros may be missing. @throws `TEMPO_PARAMETER_INVALID` */
export function traceIdOf(text: string): string {
  const invalid = (reason: string) => fail('TEMPO_PARAMETER_INVALID', { name: 'traceID', reason });
  if (!/^[0-9a-f]*$/i.test(text)) throw invalid('trace IDs can only contain hex characters');
  if (text.length > 32) throw invalid("trace IDs can't be larger than 128 bits");
  return text.toLowerCase().padStart(32, '0');
}

export async function findTrace(traces: Pick<TraceService, 'spans'>, place: Place, id: string): Promise<SpanRow[]> {
  const { workspace, narrowed, signal } = place;
  return traces.spans({ workspace, ...narrowed }, id, signal);
}

/** A trace in protobuf's JSON. */
export async function traceJson(rows: readonly SpanRow[], id: string): Promise<ResourceSpans[]> {
  return resourceSpansOf(rows, base64Id, id);
}

/** `tempopb.Trace`: like a request of OTLP, its only field is a list of resources with their spans. */
export async function traceProtobuf(rows: readonly SpanRow[], id: string): Promise<Buffer> {
  const breath = createBreath();
  const parts: Buffer[] = [];
  for (let from = 0; from < rows.length; from += spansAtOnce) {
    const resourceSpans = resourceSpansOf(rows.slice(from, from + spansAtOnce), hexId, id);
    // Lists of protobuf continue where another part of the message is appended.
    parts.push(jsonToProtobuf('traces', Buffer.from(JSON.stringify({ resourceSpans }))));
    await breath();
  }
  return Buffer.concat(parts);
}

const lengthDelimited = 2;

/** `tempopb.TraceByIDResponse` with its field 1, `trace`. */
export function traceResponse(trace: Buffer): Buffer {
  const writer = new WireWriter(trace.length + 16);
  writer.varint(1 * 8 + lengthDelimited);
  writer.raw(trace);
  return writer.result();
}
