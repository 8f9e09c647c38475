import { spanEvent, spanLink } from '../wire/fields.ts';
import { uint32At, type WireReader } from '../wire/reader.ts';
import type { Attributes } from './attributes.ts';
import { eachField } from './each-field.ts';

/** Start and end of each event and link of a span. */
export interface ListRanges {
  readonly events: readonly number[];
  readonly links: readonly number[];
}

/**
 * All about the events and links of a span as one JSON list, for answers: the columns of events and then those of links, in the
 * order of the columns of the table. Times and ids are texts. A whole trace reads it instead of twelve columns, which are empty for
 * most spans.
 * @param attributes scratch
 */
export function listsText(reader: WireReader, { events, links }: ListRanges, attributes: Attributes): string {
  const { bytes } = reader;
  const times: string[] = [];
  const names: string[] = [];
  const ofEvents = new AttributeTexts(attributes);
  for (let i = 0; i < events.length; i += 2) {
    let time = '0';
    let name = '';
    ofEvents.begin();
    eachField(reader, events[i] as number, events[i + 1] as number, (tag, stop) => {
      if (tag === spanEvent.time) time = timeText(bytes, reader.position);
      else if (tag === spanEvent.name) name = bytes.toString('utf8', reader.position, stop);
      else ofEvents.field(reader, tag, stop, spanEvent);
    });
    times.push(`"${time}"`);
    names.push(JSON.stringify(name));
    ofEvents.end(reader);
  }
  const traces: string[] = [];
  const spans: string[] = [];
  const states: string[] = [];
  const flags: number[] = [];
  const ofLinks = new AttributeTexts(attributes);
  for (let i = 0; i < links.length; i += 2) {
    let trace = '';
    let span = '';
    let state = '';
    let flag = 0;
    ofLinks.begin();
    eachField(reader, links[i] as number, links[i + 1] as number, (tag, stop) => {
      const at = reader.position;
      if (tag === spanLink.traceId) trace = bytes.toString('hex', at, stop);
      else if (tag === spanLink.spanId) span = bytes.toString('hex', at, stop);
      else if (tag === spanLink.traceState) state = bytes.toString('utf8', at, stop);
      else if (tag === spanLink.flags) flag = uint32At(bytes, at);
      else ofLinks.field(reader, tag, stop, spanLink);
    });
    traces.push(`"${trace}"`);
    spans.push(`"${span}"`);
    states.push(JSON.stringify(state));
    flags.push(flag);
    ofLinks.end(reader);
  }
  const lists: readonly (readonly (string | number)[])[] = [
    ...[times, names, ofEvents.maps, ofEvents.types, ofEvents.dropped],
    ...[traces, spans, ofLinks.maps, ofLinks.types, states, flags, ofLinks.dropped],
  ];
  return `[${lists.map((list) => `[${list.join(',')}]`).join(',')}]`;
}

/** The attributes of events or of links, as JSON. */
class AttributeTexts {
  readonly maps: string[] = [];
  readonly types: string[] = [];
  readonly dropped: number[] = [];
  readonly #attributes: Attributes;
  #dropped = 0;

  constructor(attributes: Attributes) {
    this.#attributes = attributes;
  }

  begin(): void {
    this.#attributes.clear();
    this.#dropped = 0;
  }

  field(
    reader: WireReader,
    tag: number,
    stop: number,
    wanted: { readonly attributes: number; readonly droppedAttributes: number },
  ): void {
    if (tag === wanted.attributes) this.#attributes.read(reader, stop);
    else if (tag === wanted.droppedAttributes) this.#dropped = reader.varint() >>> 0;
  }

  end(reader: WireReader): void {
    this.maps.push(this.#attributes.textsAsJson(reader));
    this.types.push(JSON.stringify(this.#attributes.types(reader.bytes)));
    this.dropped.push(this.#dropped);
  }
}

/** Nanoseconds, as `writeTime` stores them. */
function timeText(bytes: Buffer, at: number): string {
  const nanoseconds = bytes.readBigUInt64LE(at);
  return String(nanoseconds > 0x7fffffffffffffffn ? 0x7fffffffffffffffn : nanoseconds);
}
