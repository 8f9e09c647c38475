import { span, spanEvent, spanLink, spanStatus } from '../wire/fields.ts';
import { millisAt, uint32At, type WireReader } from '../wire/reader.ts';
import { Attributes } from './attributes.ts';
import { eachField } from './each-field.ts';
import { type EventPlace, type FlagEventTranscoder, tellsOfEvaluation } from './flag-events.ts';
import { listsText } from './lists-text.ts';
import type { PlainColumn } from './native/column.ts';
import type { DictionaryColumn } from './native/dictionary.ts';
import type { Origin, SpanColumns } from './native/forms.ts';
import type { ArrayColumn, MapColumn } from './native/nested.ts';
import type { TableColumns } from './native/table.ts';
import { partitionOf, writeTime } from './row-parts.ts';
import type { RowWriter } from './row-writer.ts';
import { samplingWeight } from './trace-state.ts';

const LAST_KIND = 5;
const ERROR_STATUS = 2;

/** Writes spans that have passed the scan. Keeps the positions of the current span, so that nothing is allocated. */
export class SpanTranscoder {
  readonly #rows: TableColumns<SpanColumns, Origin>;
  readonly #flags: FlagEventTranscoder;
  readonly #attributes = new Attributes();
  readonly #inner = new Attributes();
  /** Start and end of each event and link. */
  readonly #events: number[] = [];
  readonly #links: number[] = [];
  #traceState = '';
  #weight = 1;

  /** @param flags receives the evaluations on spans */
  constructor(rows: TableColumns<SpanColumns, Origin>, flags: FlagEventTranscoder) {
    this.#rows = rows;
    this.#flags = flags;
  }

  /** One case for each field, and then one line for each column. Positions are local variables, so that nothing is allocated. */
  write(reader: WireReader, end: number, origin: Origin): void {
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

    const row = this.#rows.begin(partitionOf(millisAt(bytes, startAt), origin.entry.retentionDays), origin);
    const { columns } = this.#rows;
    writeTime(columns.time.at(row), bytes, startAt);
    writeDuration(columns.duration.at(row), bytes, startAt, endAt);
    columns.trace_id.at(row).copy(bytes, traceId, 16);
    columns.span_id.at(row).copy(bytes, spanId, 8);
    if (parentAt >= 0) columns.parent_span_id.at(row).copy(bytes, parentAt, 8);
    if (stateLength > 0) columns.trace_state.at(row).string(bytes, stateAt, stateLength);
    if (flags !== 0) columns.flags.at(row).uint32(flags);
    columns.name.at(row, bytes, nameAt, nameLength);
    columns.kind.at(row).uint8(kind <= LAST_KIND ? kind : 0);
    if (status !== 0) columns.status.at(row).uint8(status <= ERROR_STATUS ? status : 0);
    if (messageLength > 0) columns.status_message.at(row).string(bytes, messageAt, messageLength);
    attributes.writeTyped(reader, columns, row);
    if (droppedAttributes !== 0) columns.dropped_attributes_count.at(row).uint32(droppedAttributes);
    columns.weight.at(row).float64(stateLength === 0 ? 1 : this.#weightOf(bytes, stateAt, stateLength));
    if (events.length > 0 && this.#writeEvents(reader, columns, row))
      this.#reportFlags(reader, { ...origin, timeAt: -1, otherTimeAt: startAt, traceId, spanId });
    if (links.length > 0) this.#writeLinks(reader, columns, row);
    if (events.length + links.length > 0)
      columns.lists_text.at(row).text(listsText(reader, { events, links }, this.#inner));
    if (droppedEvents !== 0) columns.dropped_events_count.at(row).uint32(droppedEvents);
    if (droppedLinks !== 0) columns.dropped_links_count.at(row).uint32(droppedLinks);
  }

  /** Spans of one sender mostly have the same state, so the last result is cached. */
  #weightOf(bytes: Buffer, start: number, length: number): number {
    const traceState = bytes.toString('latin1', start, start + length);
    if (traceState !== this.#traceState) {
      this.#traceState = traceState;
      this.#weight = samplingWeight(traceState);
    }
    return this.#weight;
  }

  /** @returns whether an event reports a flag evaluation */
  #writeEvents(reader: WireReader, columns: SpanColumns, row: number): boolean {
    let isEvaluated = false;
    const { bytes } = reader;
    const events = this.#events;
    const count = events.length / 2;
    const first = columns.event_time.open(row, count);
    columns.event_name.open(row, count);
    for (let i = 0; i < count; i++) {
      let timeAt = -1;
      let start = 0;
      let length = 0;
      eachField(reader, events[2 * i] as number, events[2 * i + 1] as number, (tag, stop) => {
        if (tag === spanEvent.time) timeAt = reader.position;
        else if (tag === spanEvent.name) {
          start = reader.position;
          length = stop - start;
        }
      });
      if (timeAt >= 0) writeTime(columns.event_time.elements.at(first + i), bytes, timeAt);
      columns.event_name.elements.at(first + i, bytes, start, length);
      isEvaluated ||= tellsOfEvaluation(bytes, start, length);
    }
    this.#writeMaps(reader, eventColumns(columns), row, events, spanEvent);
    return isEvaluated;
  }

  #reportFlags(reader: WireReader, place: EventPlace): void {
    const events = this.#events;
    for (let i = 0; i < events.length; i += 2) {
      let timeAt = -1;
      let isEvaluation = false;
      eachField(reader, events[i] as number, events[i + 1] as number, (tag, stop) => {
        if (tag === spanEvent.time) timeAt = reader.position;
        else if (tag === spanEvent.name)
          isEvaluation = tellsOfEvaluation(reader.bytes, reader.position, stop - reader.position);
      });
      if (!isEvaluation) continue;
      this.#readAttributes(reader, events, i, spanEvent);
      this.#flags.report(reader, this.#inner, { ...place, timeAt });
    }
  }

  #writeLinks(reader: WireReader, columns: SpanColumns, row: number): void {
    const links = this.#links;
    this.#writeIds(reader, columns.link_trace_id, row, spanLink.traceId, 16);
    this.#writeIds(reader, columns.link_span_id, row, spanLink.spanId, 8);
    this.#writeMaps(reader, linkColumns(columns), row, links, spanLink);
    this.#writeLinkStates(reader, columns, row);
  }

  #writeIds(reader: WireReader, ids: ArrayColumn<PlainColumn>, row: number, wanted: number, length: number): void {
    const links = this.#links;
    const first = ids.open(row, links.length / 2);
    for (let i = 0; i < links.length; i += 2) {
      let at = -1;
      eachField(reader, links[i] as number, links[i + 1] as number, (tag) => {
        if (tag === wanted) at = reader.position;
      });
      ids.elements.at(first + i / 2).copy(reader.bytes, at, length);
    }
  }

  /** Tracestate and flags of each link. */
  #writeLinkStates(reader: WireReader, columns: SpanColumns, row: number): void {
    const links = this.#links;
    const first = columns.link_trace_state.open(row, links.length / 2);
    columns.link_flags.open(row, links.length / 2);
    for (let i = 0; i < links.length; i += 2) {
      eachField(reader, links[i] as number, links[i + 1] as number, (tag, stop) => {
        const at = reader.position;
        if (tag === spanLink.traceState)
          columns.link_trace_state.elements.at(first + i / 2).string(reader.bytes, at, stop - at);
        else if (tag === spanLink.flags)
          columns.link_flags.elements.at(first + i / 2).uint32(uint32At(reader.bytes, at));
      });
    }
  }

  /**
   * The attributes of one event or link.
   * @returns the number of dropped attributes
   */
  #readAttributes(reader: WireReader, ranges: readonly number[], i: number, wanted: Wanted): number {
    let dropped = 0;
    this.#inner.clear();
    eachField(reader, ranges[i] as number, ranges[i + 1] as number, (tag, stop) => {
      if (tag === wanted.attributes) this.#inner.read(reader, stop);
      else if (tag === wanted.droppedAttributes) dropped = reader.varint();
    });
    return dropped;
  }

  /** Attributes of each event or link as one array of maps, with their types and dropped counts. */
  #writeMaps(reader: WireReader, to: ElementColumns, row: number, ranges: readonly number[], wanted: Wanted): void {
    const count = ranges.length / 2;
    const first = to.maps.open(row, count);
    to.types.open(row, count);
    to.dropped.open(row, count);
    for (let i = 0; i < ranges.length; i += 2) {
      const dropped = this.#readAttributes(reader, ranges, i, wanted);
      this.#inner.writeTextTo(reader, to.maps.elements, first + i / 2);
      const types = this.#inner.types(reader.bytes);
      if (types !== '') {
        const text = Buffer.from(types);
        to.types.elements.at(first + i / 2, text, 0, text.length);
      }
      if (dropped !== 0) to.dropped.elements.at(first + i / 2).uint32(dropped);
    }
  }
}

type Wanted = { readonly attributes: number; readonly droppedAttributes: number };

/** The columns for the attributes of events and links. */
interface ElementColumns {
  maps: ArrayColumn<MapColumn>;
  types: ArrayColumn<DictionaryColumn>;
  dropped: ArrayColumn<PlainColumn>;
}

function eventColumns(columns: SpanColumns): ElementColumns {
  const { event_attributes: maps, event_types: types, event_dropped_attributes_count: dropped } = columns;
  return { maps, types, dropped };
}

function linkColumns(columns: SpanColumns): ElementColumns {
  const { link_attributes: maps, link_types: types, link_dropped_attributes_count: dropped } = columns;
  return { maps, types, dropped };
}

/** Nanoseconds; 0 if the end is missing or before the start, because the sender's clock went back. */
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
