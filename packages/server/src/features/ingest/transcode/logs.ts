import type { WalEntry } from '../../../platform/wal/index.ts';
import { anyValue, logRecord } from '../wire/fields.ts';
import { millisAt, uint32At, type WireReader } from '../wire/reader.ts';
import { Attributes } from './attributes.ts';
import type { TableRows } from './block.ts';
import type { ResourceContext, ScopeContext } from './context.ts';
import { Hash64 } from './hash.ts';
import { partitionOf, writeTenant, writeTime } from './row-parts.ts';
import type { RowWriter } from './row-writer.ts';
import { hashShape } from './shape.ts';
import { jsonText, numberText, readAnyValue } from './value-text.ts';

const HIGHEST_SEVERITY = 24;

/** Senders that know only a word for it (`severityText`), by its first letters. */
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
  readonly #rows: TableRows;
  readonly #attributes = new Attributes();
  readonly #shape = new Hash64();

  constructor(rows: TableRows) {
    this.#rows = rows;
  }

  write(reader: WireReader, end: number, entry: WalEntry, resource: ResourceContext, scope: ScopeContext): void {
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

    const { row } = this.#rows;
    const shownAt = timeAt >= 0 ? timeAt : observedAt;
    const millis = shownAt >= 0 ? millisAt(bytes, shownAt) : entry.receivedAt;
    this.#rows.begin(partitionOf(millis, entry.retentionDays));
    writeTenant(row, entry, resource);
    row.reserve(64);
    if (shownAt >= 0) writeTime(row, bytes, shownAt);
    else writeMillis(row, entry.receivedAt);
    if (observedAt >= 0) writeTime(row, bytes, observedAt);
    else writeMillis(row, entry.receivedAt);
    if (traceId < 0) row.zeros(16);
    else row.copy(bytes, traceId, 16);
    if (spanId < 0) row.uint64(0, 0);
    else row.copy(bytes, spanId, 8);
    row.uint32(flags);
    row.uint8(severity === 0 ? severityFrom(bytes, severityTextAt, severityTextLength) : severityWithin(severity));
    row.string(bytes, severityTextAt, severityTextLength);
    if (eventNameLength > 0) row.string(bytes, eventNameAt, eventNameLength);
    else this.#writeEventAttribute(reader, row);
    row.encoded(resource.service);
    row.encoded(scope.columns);
    this.#writeBody(reader, row, bodyAt, bodyEnd);
    row.reserve(8);
    row.uint64(resource.hashLow, resource.hashHigh);
    row.encoded(resource.map);
    attributes.writeTyped(reader, row);
    row.reserve(4);
    row.uint32(droppedAttributes);
  }

  /** Before it had a field of its own, the event's name was the attribute `event.name`. */
  #writeEventAttribute(reader: WireReader, row: RowWriter): void {
    const index = this.#attributes.find(reader.bytes, 'event.name');
    row.text(index < 0 ? '' : this.#attributes.textOf(reader, index));
  }

  /** body, body_is_json, shape. */
  #writeBody(reader: WireReader, row: RowWriter, start: number, end: number): void {
    const { bytes } = reader;
    const value = readAnyValue(reader, start, end);
    const isJson = value.tag === anyValue.array || value.tag === anyValue.kvlist;
    if (value.tag === anyValue.string) {
      row.string(bytes, value.start, value.end - value.start);
      hashShape(bytes, value.start, value.end, this.#shape);
    } else {
      const text = Buffer.from(bodyText(reader, value.tag, value.start, value.end));
      row.string(text, 0, text.length);
      hashShape(text, 0, text.length, this.#shape);
    }
    row.reserve(9);
    row.uint8(isJson ? 1 : 0);
    row.uint64(this.#shape.low, this.#shape.high);
  }
}

function bodyText(reader: WireReader, tag: number, start: number, end: number): string {
  if (tag === 0) return '';
  if (tag === anyValue.bytes) return reader.bytes.toString('base64', start, end);
  if (tag === anyValue.double) return numberText(reader.bytes.readDoubleLE(start));
  return jsonText(reader, tag, start, end);
}

/** The position of a time, or -1 for 0, which means that it is not known. */
function givenTime(reader: WireReader): number {
  const at = reader.position;
  reader.position += 8;
  return uint32At(reader.bytes, at) === 0 && uint32At(reader.bytes, at + 4) === 0 ? -1 : at;
}

/** Unix milliseconds as DateTime64(9). */
function writeMillis(row: RowWriter, millis: number): void {
  const nanos = BigInt(Math.round(millis)) * 1_000_000n;
  row.uint64(Number(nanos & 0xffffffffn), Number(nanos >> 32n));
}

/** A negative enum value is a huge varint. */
function severityWithin(severity: number): number {
  return severity > HIGHEST_SEVERITY ? 0 : severity;
}

function severityFrom(bytes: Buffer, start: number, length: number): number {
  if (length < 4) return 0;
  return severityOfText.get(bytes.toString('latin1', start, start + 4).toLowerCase()) ?? 0;
}
