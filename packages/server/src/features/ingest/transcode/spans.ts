import type { WalEntry } from '../../../platform/wal/index.ts';
import { span, spanEvent, spanLink, spanStatus } from '../wire/fields.ts';
import { millisAt, uint32At, type WireReader } from '../wire/reader.ts';
import { Attributes } from './attributes.ts';
import type { TableRows } from './block.ts';
import type { ResourceContext, ScopeContext } from './context.ts';
import { partitionOf, writeTenant, writeTime } from './row-parts.ts';
import type { RowWriter } from './row-writer.ts';
import { samplingWeight } from './trace-state.ts';

const LAST_KIND = 5;
const ERROR_STATUS = 2;

/** Writes spans that have passed the scan. Holds the positions of the current one, so that nothing is allocated. */
export class SpanTranscoder {
  readonly #rows: TableRows;
  readonly #attributes = new Attributes();
  readonly #inner = new Attributes();
  /** Start and end of each event and link. */
  readonly #events: number[] = [];
  readonly #links: number[] = [];
  #traceState = '';
  #weight = 1;

  constructor(rows: TableRows) {
    this.#rows = rows;
  }

  write(reader: WireReader, end: number, entry: WalEntry, resource: ResourceContext, scope: ScopeContext): void {
    const { bytes } = reader;
    const attributes = this.#attributes;
    const events = this.#events;
    const links = this.#links;
    attributes.clear();
    events.length = 0;
    links.length = 0;
    let traceId = -1;
    let spanId = -1;
    let parentAt = -1;
    let nameAt = -1;
    let nameLength = 0;
    let stateAt = -1;
    let stateLength = 0;
    let startAt = -1;
    let endAt = -1;
    let messageAt = -1;
    let messageLength = 0;
    let kind = 0;
    let status = 0;
    let flags = 0;
    let droppedAttributes = 0;
    let droppedEvents = 0;
    let droppedLinks = 0;
    while (reader.position < end) {
      const tag = reader.tag();
      switch (tag) {
        case span.traceId: {
          const stop = reader.enter(end);
          traceId = reader.position;
          reader.position = stop;
          break;
        }
        case span.spanId: {
          const stop = reader.enter(end);
          spanId = reader.position;
          reader.position = stop;
          break;
        }
        case span.parentSpanId: {
          const stop = reader.enter(end);
          parentAt = stop > reader.position ? reader.position : -1;
          reader.position = stop;
          break;
        }
        case span.traceState: {
          const stop = reader.enter(end);
          stateAt = reader.position;
          stateLength = stop - stateAt;
          reader.position = stop;
          break;
        }
        case span.name: {
          const stop = reader.enter(end);
          nameAt = reader.position;
          nameLength = stop - nameAt;
          reader.position = stop;
          break;
        }
        case span.kind:
          kind = reader.varint();
          break;
        case span.start:
          startAt = reader.position;
          reader.position += 8;
          break;
        case span.end:
          endAt = reader.position;
          reader.position += 8;
          break;
        case span.attributes:
          attributes.read(reader, reader.enter(end));
          break;
        case span.events: {
          const stop = reader.enter(end);
          events.push(reader.position, stop);
          reader.position = stop;
          break;
        }
        case span.links: {
          const stop = reader.enter(end);
          links.push(reader.position, stop);
          reader.position = stop;
          break;
        }
        case span.status: {
          const stop = reader.enter(end);
          while (reader.position < stop) {
            const inner = reader.tag();
            if (inner === spanStatus.code) status = reader.varint();
            else if (inner === spanStatus.message) {
              const messageEnd = reader.enter(stop);
              messageAt = reader.position;
              messageLength = messageEnd - messageAt;
              reader.position = messageEnd;
            } else reader.skip(inner, stop);
          }
          break;
        }
        case span.flags:
          flags = uint32At(bytes, reader.position);
          reader.position += 4;
          break;
        case span.droppedAttributes:
          droppedAttributes = reader.varint();
          break;
        case span.droppedEvents:
          droppedEvents = reader.varint();
          break;
        case span.droppedLinks:
          droppedLinks = reader.varint();
          break;
        default:
          reader.skip(tag, end);
      }
    }

    const { row } = this.#rows;
    this.#rows.begin(partitionOf(millisAt(bytes, startAt), entry.retentionDays));
    writeTenant(row, entry, resource);
    row.reserve(96);
    writeTime(row, bytes, startAt);
    writeDuration(row, bytes, startAt, endAt);
    row.copy(bytes, traceId, 16);
    row.copy(bytes, spanId, 8);
    if (parentAt < 0) row.uint64(0, 0);
    else row.copy(bytes, parentAt, 8);
    if (stateLength > 0) row.string(bytes, stateAt, stateLength);
    else row.uint8(0);
    row.reserve(8);
    row.uint32(flags);
    row.encoded(resource.service);
    row.string(bytes, nameAt, nameLength);
    row.reserve(8);
    row.uint8(kind <= LAST_KIND ? kind : 0);
    row.uint8(status <= ERROR_STATUS ? status : 0);
    row.string(bytes, messageAt, messageLength);
    row.encoded(scope.columns);
    row.reserve(8);
    row.uint64(resource.hashLow, resource.hashHigh);
    row.encoded(resource.map);
    attributes.writeTyped(reader, row);
    row.reserve(16);
    row.uint32(droppedAttributes);
    row.float64(stateLength === 0 ? 1 : this.#weightOf(bytes, stateAt, stateLength));
    this.#writeEvents(reader, row);
    this.#writeLinks(reader, row);
    row.reserve(8);
    row.uint32(droppedEvents);
    row.uint32(droppedLinks);
  }

  /** Spans of one sender mostly carry the same state, so the last answer is kept. */
  #weightOf(bytes: Buffer, start: number, length: number): number {
    const traceState = bytes.toString('latin1', start, start + length);
    if (traceState !== this.#traceState) {
      this.#traceState = traceState;
      this.#weight = samplingWeight(traceState);
    }
    return this.#weight;
  }

  #writeEvents(reader: WireReader, row: RowWriter): void {
    const { bytes } = reader;
    const events = this.#events;
    const count = events.length / 2;
    row.reserve(15 + count * 8);
    row.varint(count);
    for (let i = 0; i < events.length; i += 2) {
      let time = -1;
      eachField(reader, events[i] as number, events[i + 1] as number, (tag) => {
        if (tag === spanEvent.time) time = reader.position;
      });
      if (time < 0) row.uint64(0, 0);
      else writeTime(row, bytes, time);
    }
    row.varint(count);
    for (let i = 0; i < events.length; i += 2) {
      let start = 0;
      let length = 0;
      eachField(reader, events[i] as number, events[i + 1] as number, (tag, stop) => {
        if (tag !== spanEvent.name) return;
        start = reader.position;
        length = stop - start;
      });
      row.string(bytes, start, length);
    }
    this.#writeMaps(reader, row, events, spanEvent.attributes);
  }

  #writeLinks(reader: WireReader, row: RowWriter): void {
    const links = this.#links;
    const count = links.length / 2;
    row.reserve(15 + count * 24);
    row.varint(count);
    this.#writeIds(reader, row, spanLink.traceId, 16);
    row.varint(count);
    this.#writeIds(reader, row, spanLink.spanId, 8);
    this.#writeMaps(reader, row, links, spanLink.attributes);
  }

  #writeIds(reader: WireReader, row: RowWriter, wanted: number, length: number): void {
    for (let i = 0; i < this.#links.length; i += 2) {
      let at = -1;
      eachField(reader, this.#links[i] as number, this.#links[i + 1] as number, (tag) => {
        if (tag === wanted) at = reader.position;
      });
      row.copy(reader.bytes, at, length);
    }
  }

  /** Attributes of each event or link, as one array of maps. */
  #writeMaps(reader: WireReader, row: RowWriter, ranges: readonly number[], wanted: number): void {
    row.reserve(5);
    row.varint(ranges.length / 2);
    for (let i = 0; i < ranges.length; i += 2) {
      this.#inner.clear();
      eachField(reader, ranges[i] as number, ranges[i + 1] as number, (tag, stop) => {
        if (tag === wanted) this.#inner.read(reader, stop);
      });
      this.#inner.writeText(reader, row);
    }
  }
}

/** Runs `visit` with the reader at the content of each field. */
function eachField(reader: WireReader, start: number, end: number, visit: (tag: number, stop: number) => void): void {
  reader.position = start;
  while (reader.position < end) {
    const tag = reader.tag();
    if ((tag & 7) === 2) {
      const stop = reader.enter(end);
      visit(tag, stop);
      reader.position = stop;
    } else {
      const at = reader.position;
      visit(tag, at);
      reader.position = at;
      reader.skip(tag, end);
    }
  }
}

/** Nanoseconds; 0 where the end is missing or before the start, as the clock of the sender went back. */
function writeDuration(row: RowWriter, bytes: Buffer, startAt: number, endAt: number): void {
  let low = 0;
  let high = 0;
  if (endAt >= 0) {
    const startLow = uint32At(bytes, startAt);
    const endLow = uint32At(bytes, endAt);
    const borrow = endLow < startLow ? 1 : 0;
    low = (endLow - startLow) >>> 0;
    high = uint32At(bytes, endAt + 4) - uint32At(bytes, startAt + 4) - borrow;
  }
  if (high < 0) row.uint64(0, 0);
  else row.uint64(low, high);
}
