import type { WalEntry } from '../entry.ts';
import { type CountedAnswer, decodeEvaluations, type SeenEvaluation } from '../evaluations.ts';
import { millisAt, type WireReader } from '../wire/reader.ts';
import type { Attributes } from './attributes.ts';
import type { TableRows } from './block.ts';
import type { ResourceContext } from './context.ts';
import { DAY_MS, partitionOf, writeTime } from './row-parts.ts';
import type { RowWriter } from './row-writer.ts';

const SERVER = 1;
const OTLP = 2;
const SECOND_MS = 1000;
/** Longest stored name; longer ones are truncated. The log keeps the event unchanged. */
const MAX_NAME = 256;
const MAX_UNIT = 1024;
/** Further counts of one segment become separate rows instead of being summed. */
const MAX_COUNTS = 100_000;

const EVALUATION = Buffer.from('feature_flag.evaluation');
/** Until semantic conventions 1.28; OpenFeature's first tracing hooks still write it. */
const EVALUATION_BEFORE = Buffer.from('feature_flag');

/** Whether an event of this name reports a flag evaluation. Other names mostly differ in length. */
export function tellsOfEvaluation(bytes: Buffer, start: number, length: number): boolean {
  const name =
    length === EVALUATION.length ? EVALUATION : length === EVALUATION_BEFORE.length ? EVALUATION_BEFORE : null;
  return name !== null && bytes.compare(name, 0, length, start, start + length) === 0;
}

/** Ends the version of an answer to a unit that is not measured (`versionText` of the flag engine). */
const UNTRACKED = /\+untracked$/;

/** Where and when an event of a telemetry signal happened; positions in the body, -1 if absent. */
export interface EventPlace {
  readonly entry: WalEntry;
  readonly resource: ResourceContext;
  readonly timeAt: number;
  /** The time if the event has none or an impossible one. */
  readonly otherTimeAt: number;
  readonly traceId: number;
  readonly spanId: number;
}

interface Answer {
  flag: string;
  variant: string;
  reason: string;
  version: string;
  unit: string;
  kind: string;
  tracked: boolean;
  provider: string;
  error: string;
}

interface Counted extends CountedAnswer {
  readonly entry: WalEntry;
}

/**
 * Writes flag evaluations: the server's own counts, and the `feature_flag.evaluation` events that clients report
 * (OpenTelemetry's semantic conventions for feature flags, with current and former names).
 */
export class FlagEventTranscoder {
  readonly #rows: TableRows;
  readonly #counts = new Map<string, Counted>();

  constructor(rows: TableRows) {
    this.#rows = rows;
  }

  /** An event on a span or a log record. Ignores one without a flag key. */
  report(reader: WireReader, attributes: Attributes, place: EventPlace): void {
    const text = (...names: readonly string[]) => textOf(reader, attributes, names);
    const flag = cut(text('feature_flag.key'), MAX_NAME);
    if (flag === '') return;
    const { entry, resource } = place;
    const reason = text('feature_flag.result.reason', 'feature_flag.evaluation.reason', 'feature_flag.reason');
    const reported = text('feature_flag.version');
    const version = reported.replace(UNTRACKED, '');
    const { environment } = resource.names;
    const named = environment === '' ? environmentOfSet(text('feature_flag.set.id')) : environment;
    this.#begin(timeOf(reader.bytes, place), reader.bytes, entry, named);
    this.#write(
      {
        flag,
        variant: cut(
          text('feature_flag.result.variant', 'feature_flag.variant', 'feature_flag.result.value'),
          MAX_NAME,
        ),
        reason: cut(reason.toLowerCase(), MAX_NAME),
        version: cut(version, MAX_NAME),
        unit: cut(text('feature_flag.context.id'), MAX_UNIT),
        kind: '',
        // A tracked rollout is reported as `split`; other products report any percentage so.
        tracked: reason.toLowerCase() === 'split' && version === reported,
        provider: cut(
          text('feature_flag.provider.name', 'feature_flag.system', 'feature_flag.provider_name'),
          MAX_NAME,
        ),
        error: cut(text('error.type'), MAX_NAME),
      },
      (row) => {
        if (place.traceId >= 0) row.copy(reader.bytes, place.traceId, 16);
        else row.zeros(16);
        if (place.spanId >= 0) row.copy(reader.bytes, place.spanId, 8);
        else row.zeros(8);
      },
      OTLP,
      resource.names.service,
      1,
    );
  }

  /** Adds the server's own counts. @throws if the body is malformed. */
  add(entry: WalEntry): void {
    const { counted, seen } = decodeEvaluations(entry.body);
    for (const one of seen) this.#writeSeen(one, entry);
    for (const one of counted) this.#count(one, entry);
  }

  /** Writes the counts of the segment, summed per second. */
  finish(): void {
    for (const { entry, ...counted } of this.#counts.values()) this.#writeCounted(counted, entry);
    this.#counts.clear();
  }

  #count(one: CountedAnswer, entry: WalEntry): void {
    const second = Math.floor(one.at / SECOND_MS) * SECOND_MS;
    const { workspace, project, environment, retentionDays } = entry;
    const { flag, variant, reason, version, tracked, error } = one;
    const key = JSON.stringify([
      ...[workspace, project, environment, retentionDays],
      ...[second, flag, variant, reason, version, tracked, error],
    ]);
    const known = this.#counts.get(key);
    if (known !== undefined) this.#counts.set(key, { ...known, count: known.count + one.count });
    else if (this.#counts.size < MAX_COUNTS) this.#counts.set(key, { ...one, at: second, entry });
    else this.#writeCounted({ ...one, at: second }, entry);
  }

  #writeCounted({ at, count, ...answer }: CountedAnswer, entry: WalEntry): void {
    this.#beginAt(at, entry);
    const nobody = { unit: '', kind: '', provider: '' };
    this.#write({ ...answer, ...nobody }, (row) => row.zeros(24), SERVER, '', count);
  }

  #writeSeen({ at, traceId, spanId, ...answer }: SeenEvaluation, entry: WalEntry): void {
    this.#beginAt(at, entry);
    const ids = Buffer.from(`${traceId || '0'.repeat(32)}${spanId || '0'.repeat(16)}`, 'hex');
    const unit = cut(answer.unit, MAX_UNIT);
    this.#write({ ...answer, unit, provider: '' }, (row) => row.copy(ids, 0, 24), SERVER, '', 1);
  }

  #beginAt(millis: number, entry: WalEntry): void {
    this.#rows.begin(partitionOf(millis, entry.retentionDays));
    writeTenant(this.#rows.row, entry, entry.environment);
    const nanos = BigInt(Math.round(millis)) * 1_000_000n;
    this.#rows.row.uint64(Number(nanos & 0xffffffffn), Number(nanos >> 32n));
  }

  #begin(timeAt: number | { readonly millis: number }, bytes: Buffer, entry: WalEntry, environment: string): void {
    if (typeof timeAt !== 'number') {
      this.#beginAt(timeAt.millis, { ...entry, environment });
      return;
    }
    this.#rows.begin(partitionOf(millisAt(bytes, timeAt), entry.retentionDays));
    writeTenant(this.#rows.row, entry, environment);
    writeTime(this.#rows.row, bytes, timeAt);
  }

  #write(answer: Answer, writeIds: (row: RowWriter) => void, source: number, service: string, count: number): void {
    const { row } = this.#rows;
    row.text(answer.flag);
    row.text(answer.variant);
    row.text(answer.reason);
    row.text(answer.version);
    row.text(answer.unit);
    row.text(answer.kind);
    row.reserve(26);
    row.uint8(answer.tracked ? 1 : 0);
    writeIds(row);
    row.uint8(source);
    row.text(service);
    row.text(answer.provider);
    row.text(answer.error);
    row.reserve(8);
    row.integer64(count);
  }
}

function writeTenant(row: RowWriter, entry: WalEntry, environment: string): void {
  row.reserve(10);
  row.uint32(entry.workspace);
  row.uint32(entry.project);
  row.text(environment);
  row.reserve(10);
  row.uint16(entry.retentionDays);
}

/** The value of the first name that exists. */
function textOf(reader: WireReader, attributes: Attributes, names: readonly string[]): string {
  for (const name of names) {
    const index = attributes.find(reader.bytes, name);
    const text = index < 0 ? '' : attributes.textOf(reader, index);
    if (text !== '') return text;
  }
  return '';
}

/**
 * The scan checks the times of spans and records, but not of span events: an impossible one is replaced by its span's
 * time.
 */
function timeOf(bytes: Buffer, place: EventPlace): number | { readonly millis: number } {
  const { receivedAt, retentionDays } = place.entry;
  const isPossible = (at: number) => {
    if (at < 0) return false;
    const millis = millisAt(bytes, at);
    return millis >= receivedAt - retentionDays * DAY_MS && millis <= receivedAt + DAY_MS;
  };
  if (isPossible(place.timeAt)) return place.timeAt;
  return isPossible(place.otherTimeAt) ? place.otherTimeAt : { millis: receivedAt };
}

/** `project/environment`, the set id that this product's flags have: for telemetry that names no environment itself. */
function environmentOfSet(set: string): string {
  return /^[\w.-]+\/([\w.-]+)$/.exec(set)?.[1] ?? '';
}

/** Truncates to a number of characters; half of a surrogate pair becomes U+FFFD. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length);
}
