import { anyValue, logRecord } from '../wire/fields.ts';
import { millisAt, uint32At, type WireReader } from '../wire/reader.ts';
import { Attributes } from './attributes.ts';
import { type FlagEventTranscoder, tellsOfEvaluation } from './flag-events.ts';
import { Hash64 } from './hash.ts';
import type { LogColumns, Origin } from './native/forms.ts';
import type { TableColumns } from './native/table.ts';
import { partitionOf, writeTime } from './row-parts.ts';
import type { RowWriter } from './row-writer.ts';
import { hashShape } from './shape.ts';
import { jsonText, numberText, readAnyValue } from './value-text.ts';

const HIGHEST_SEVERITY = 24;

/** Severity by the first letters of `severityText`, for senders that send only a word. */
const severityOfText = new Map([
  ['trac', 1],
  ['debu', 5],
  ['info', 9],
  ['noti', 10],
  ['warn', 13],
  ['erro', 17],
  ['crit', 18],
  ['fata', 21],
]);

/** Writes log records that have passed the scan. */
export class LogTranscoder {
  readonly #rows: TableColumns<LogColumns, Origin>;
  readonly #flags: FlagEventTranscoder;
  readonly #attributes = new Attributes();
  readonly #shape = new Hash64();
  /** The time of receiving that was written last, in milliseconds, and as 64 bits of nanoseconds. */
  #received = { millis: 0, low: 0, high: 0 };

  /** @param flags gets reported flag evaluations */
  constructor(rows: TableColumns<LogColumns, Origin>, flags: FlagEventTranscoder) {
    this.#rows = rows;
    this.#flags = flags;
  }

  /** One case for each field, and then one line for each column. Positions are local variables, so that nothing is allocated. */
  write(reader: WireReader, end: number, origin: Origin): void {
    const { bytes } = reader;
    const attributes = this.#attributes;
    attributes.clear();
    let timeAt = -1;
    let observedAt = -1;
    let traceId = -1;
    let spanId = -1;
    let flags = 0;
    let severity = 0;
    let severityTextAt = -1;
    let severityTextLength = 0;
    let eventNameAt = -1;
    let eventNameLength = 0;
    let bodyAt = end;
    let bodyEnd = end;
    let droppedAttributes = 0;
    while (reader.position < end) {
      const tag = reader.tag();
      switch (tag) {
        case logRecord.time:
          timeAt = givenTime(reader);
          break;
        case logRecord.observedTime:
          observedAt = givenTime(reader);
          break;
        case logRecord.severityNumber:
          severity = reader.varint();
          break;
        case logRecord.severityText: {
          const stop = reader.enter(end);
          severityTextAt = reader.position;
          severityTextLength = stop - severityTextAt;
          reader.position = stop;
          break;
        }
        case logRecord.body: {
          const stop = reader.enter(end);
          bodyAt = reader.position;
          bodyEnd = stop;
          reader.position = stop;
          break;
        }
        case logRecord.attributes:
          attributes.read(reader, reader.enter(end));
          break;
        case logRecord.traceId: {
          const stop = reader.enter(end);
          traceId = stop > reader.position ? reader.position : -1;
          reader.position = stop;
          break;
        }
        case logRecord.spanId: {
          const stop = reader.enter(end);
          spanId = stop > reader.position ? reader.position : -1;
          reader.position = stop;
          break;
        }
        case logRecord.eventName: {
          const stop = reader.enter(end);
          eventNameAt = reader.position;
          eventNameLength = stop - eventNameAt;
          reader.position = stop;
          break;
        }
        case logRecord.flags:
          flags = uint32At(bytes, reader.position);
          reader.position += 4;
          break;
        case logRecord.droppedAttributes:
          droppedAttributes = reader.varint();
          break;
        default:
          reader.skip(tag, end);
      }
    }

    const shownAt = timeAt >= 0 ? timeAt : observedAt;
    const { receivedAt, retentionDays } = origin.entry;
    const millis = shownAt >= 0 ? millisAt(bytes, shownAt) : receivedAt;
    const row = this.#rows.begin(partitionOf(millis, retentionDays), origin);
    const { columns } = this.#rows;
    if (shownAt >= 0) writeTime(columns.time.at(row), bytes, shownAt);
    else this.#writeReceived(columns.time.at(row), receivedAt);
    if (observedAt >= 0) writeTime(columns.observed_time.at(row), bytes, observedAt);
    else this.#writeReceived(columns.observed_time.at(row), receivedAt);
    if (traceId >= 0) columns.trace_id.at(row).copy(bytes, traceId, 16);
    if (spanId >= 0) columns.span_id.at(row).copy(bytes, spanId, 8);
    if (flags !== 0) columns.flags.at(row).uint32(flags);
    columns.severity
      .at(row)
      .uint8(severity === 0 ? severityFrom(bytes, severityTextAt, severityTextLength) : severityWithin(severity));
    if (severityTextLength > 0) columns.severity_text.at(row, bytes, severityTextAt, severityTextLength);
    let isEvaluation: boolean;
    if (eventNameLength > 0) {
      columns.event_name.at(row, bytes, eventNameAt, eventNameLength);
      isEvaluation = tellsOfEvaluation(bytes, eventNameAt, eventNameLength);
    } else isEvaluation = this.#writeEventAttribute(reader, columns, row);
    this.#writeBody(reader, columns, row, bodyAt, bodyEnd);
    attributes.writeTyped(reader, columns, row);
    if (droppedAttributes !== 0) columns.dropped_attributes_count.at(row).uint32(droppedAttributes);
    if (isEvaluation)
      this.#flags.report(reader, attributes, { ...origin, timeAt: shownAt, otherTimeAt: -1, traceId, spanId });
  }

  /** Unix milliseconds as DateTime64(9). All records of an entry have the same. */
  #writeReceived(row: RowWriter, millis: number): void {
    if (millis !== this.#received.millis) {
      const nanos = BigInt(Math.round(millis)) * 1_000_000n;
      this.#received = { millis, low: Number(nanos & 0xffffffffn), high: Number(nanos >> 32n) };
    }
    row.uint64(this.#received.low, this.#received.high);
  }

  /**
   * Before it had its own field, the event's name was the attribute `event.name`. @returns whether it reports a flag
   * evaluation
   */
  #writeEventAttribute(reader: WireReader, columns: LogColumns, row: number): boolean {
    const index = this.#attributes.find(reader.bytes, 'event.name');
    if (index < 0) return false;
    const name = Buffer.from(this.#attributes.textOf(reader, index));
    columns.event_name.at(row, name, 0, name.length);
    return tellsOfEvaluation(name, 0, name.length);
  }

  /** body, body_is_json, shape. */
  #writeBody(reader: WireReader, columns: LogColumns, row: number, start: number, end: number): void {
    const { bytes } = reader;
    const value = readAnyValue(reader, start, end);
    const isJson = value.tag === anyValue.array || value.tag === anyValue.kvlist;
    if (value.tag === anyValue.string) {
      columns.body.at(row).string(bytes, value.start, value.end - value.start);
      hashShape(bytes, value.start, value.end, this.#shape);
    } else {
      const text = Buffer.from(bodyText(reader, value.tag, value.start, value.end));
      columns.body.at(row).string(text, 0, text.length);
      hashShape(text, 0, text.length, this.#shape);
    }
    if (isJson) columns.body_is_json.at(row).uint8(1);
    columns.shape.at(row).uint64(this.#shape.low, this.#shape.high);
  }
}

function bodyText(reader: WireReader, tag: number, start: number, end: number): string {
  if (tag === 0) return '';
  if (tag === anyValue.bytes) return reader.bytes.toString('base64', start, end);
  if (tag === anyValue.double) return numberText(reader.bytes.readDoubleLE(start));
  return jsonText(reader, tag, start, end);
}

/** The position of a time, or -1 for 0, which means unknown. */
function givenTime(reader: WireReader): number {
  const at = reader.position;
  reader.position += 8;
  return uint32At(reader.bytes, at) === 0 && uint32At(reader.bytes, at + 4) === 0 ? -1 : at;
}

/** A negative enum value is a huge varint. */
function severityWithin(severity: number): number {
  return severity > HIGHEST_SEVERITY ? 0 : severity;
}

function severityFrom(bytes: Buffer, start: number, length: number): number {
  if (length < 4) return 0;
  return severityOfText.get(bytes.toString('latin1', start, start + 4).toLowerCase()) ?? 0;
}
