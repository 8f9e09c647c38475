import { anyValue, keyValue, listValues, resource, resourceItems, scope, scopeItems } from '../wire/fields.ts';
import type { WireReader } from '../wire/reader.ts';
import { MAX_VALUE_DEPTH, tooDeep, type Verdict } from './outcome.ts';

/** Checks the structure of one `KeyValue` up to `end`. */
export function scanKeyValue(reader: WireReader, end: number, depth = 0): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === keyValue.value) scanAnyValue(reader, reader.enter(end), depth);
    else reader.skip(tag, end);
  }
  reader.finish(end);
}

/** Checks the structure of one `AnyValue` up to `end`, including nested lists. */
export function scanAnyValue(reader: WireReader, end: number, depth = 0): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === anyValue.array || tag === anyValue.kvlist) {
      if (depth === MAX_VALUE_DEPTH) throw tooDeep();
      scanList(reader, reader.enter(end), tag === anyValue.kvlist, depth + 1);
    } else reader.skip(tag, end);
  }
  reader.finish(end);
}

function scanList(reader: WireReader, end: number, pairs: boolean, depth: number): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag !== listValues) reader.skip(tag, end);
    else if (pairs) scanKeyValue(reader, reader.enter(end), depth);
    else scanAnyValue(reader, reader.enter(end), depth);
  }
  reader.finish(end);
}

/** Checks a message of which only the attributes (at `attributesTag`) are nested. */
export function scanAttributed(reader: WireReader, end: number, attributesTag: number): void {
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === attributesTag) scanKeyValue(reader, reader.enter(end));
    else reader.skip(tag, end);
  }
  reader.finish(end);
}

/**
 * Walks request → resource → scope, which the three signals share, and passes each item (span, log record, metric) to
 * `scanItem` with the number of bytes that its row will repeat.
 */
export function scanEnvelope(
  reader: WireReader,
  verdict: Verdict,
  scanItem: (reader: WireReader, end: number, verdict: Verdict, contextBytes: number) => void,
): void {
  const end = reader.bytes.length;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === 10) scanResourceItems(reader, reader.enter(end), verdict, scanItem);
    else reader.skip(tag, end);
  }
  reader.finish(end);
}

function scanResourceItems(
  reader: WireReader,
  end: number,
  verdict: Verdict,
  scanItem: Parameters<typeof scanEnvelope>[2],
): void {
  const start = reader.position;
  let contextBytes = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === resourceItems.resource) {
      const stop = reader.enter(end);
      contextBytes += stop - reader.position;
      scanAttributed(reader, stop, resource.attributes);
    } else reader.skip(tag, end);
  }
  reader.finish(end);
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === resourceItems.scopes) scanScopeItems(reader, reader.enter(end), verdict, contextBytes, scanItem);
    else reader.skip(tag, end);
  }
}

function scanScopeItems(
  reader: WireReader,
  end: number,
  verdict: Verdict,
  resourceBytes: number,
  scanItem: Parameters<typeof scanEnvelope>[2],
): void {
  const start = reader.position;
  let contextBytes = resourceBytes;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === scopeItems.scope) {
      const stop = reader.enter(end);
      contextBytes += stop - reader.position;
      scanAttributed(reader, stop, scope.attributes);
    } else reader.skip(tag, end);
  }
  reader.finish(end);
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === scopeItems.items) scanItem(reader, reader.enter(end), verdict, contextBytes);
    else reader.skip(tag, end);
  }
}
