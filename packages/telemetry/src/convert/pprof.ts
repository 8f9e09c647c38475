import { exportRequest } from '../profiles/fields.ts';
import { TooLarge } from '../scan/outcome.ts';
import { LENGTH, VARINT, WireError, WireReader } from '../wire/reader.ts';
import { eachField, eachNumber } from '../wire/walk.ts';
import { OtlpWriter } from './otlp-writer.ts';

/** Tags of `perftools.profiles.Profile` (github.com/google/pprof, `proto/profile.proto`). */
const pprof = {
  sampleType: 10,
  sample: 18,
  mapping: 26,
  location: 34,
  function: 42,
  string: 50,
  time: 72,
  duration: 80,
} as const;

interface Label {
  key: number;
  text: number;
  number: bigint;
}

interface Sample {
  stack: number;
  attributes: number[];
  link: number;
  values: bigint[];
}

/** Labels with the span of a sample, by the names that profilers use. */
const traceLabels = new Set(['trace_id', 'trace id', 'traceid']);
const spanLabels = new Set(['span_id', 'span id', 'spanid']);

/**
 * Turns a pprof profile into an OTLP export request: one profile for each of its types, over one dictionary. Values of
 * 0 (a stack without memory still in use) are left out.
 * @param resource attributes of the resource, since pprof has none.
 * @param now Unix milliseconds: the end of a profile without a time.
 * @throws {WireError} also when a sample refers to a missing entry, and for the formats before profile.proto.
 */
export function pprofToOtlp(
  body: Buffer,
  resource: Readonly<Record<string, string>>,
  now: number,
): { readonly body: Buffer; readonly isUntimed: boolean } {
  if (isLegacy(body)) {
    throw new WireError(
      'this is a legacy pprof format: convert it with `go tool pprof -proto FILE` and send the result',
    );
  }
  const converter = new PprofConverter(new WireReader(body));
  return { body: converter.convert(resource, now), isUntimed: converter.isUntimed };
}

/** `heap profile: 1: 2 [3: 4] @ heapprofile`, `goroutine profile: total 5`, `--- contention`. */
const LEGACY_TEXT = /^(?:[a-z]+ profile: |--- ?[a-z])/;

/**
 * The formats before profile.proto: texts, and gperftools' CPU profile, which is a list of words of 4 or 8 bytes in either
 * byte order that begins with 0 and 3.
 */
function isLegacy(body: Buffer): boolean {
  if (LEGACY_TEXT.test(body.toString('latin1', 0, 40))) return true;
  return /^0{8}(?:03000000|00000003|0{8}(?:0300000000000000|0000000000000003))/.test(body.toString('hex', 0, 16));
}

/** Entries of all tables, samples and labels together: a limit of the memory for a body of 32 MiB. */
const MAX_ENTRIES = 1_000_000;

class PprofConverter {
  readonly #reader: WireReader;
  readonly #strings: string[] = [];
  readonly #types: { type: number; unit: number }[] = [];
  readonly #samples: Sample[] = [];
  readonly #stacks = new Map<string, number>([['', 0]]);
  readonly #attributes = new Map<string, Label>();
  readonly #attributeIndexes = new Map<string, number>();
  readonly #links = new Map<string, number>([['', 0]]);
  readonly #indexes = {
    mapping: new Map<number, number>(),
    location: new Map<number, number>(),
    function: new Map<number, number>(),
  };
  #time = 0n;
  #duration = 0n;
  #entries = 0;

  constructor(reader: WireReader) {
    this.#reader = reader;
  }

  /** Known after {@link PprofConverter.convert}. */
  get isUntimed(): boolean {
    return this.#time === 0n;
  }

  convert(resource: Readonly<Record<string, string>>, now: number): Buffer {
    this.#readTables();
    const writer = new OtlpWriter();
    writer.varint(exportRequest.dictionary);
    // Written before the profiles, after their samples were read: these determine the stacks, links and attributes.
    writer.nested(() => this.#writeDictionary(writer));
    const time = this.isUntimed ? startBefore(now, this.#duration) : this.#time;
    writer.message(1, () => {
      writer.message(1, () => {
        for (const [key, value] of Object.entries(resource)) writer.attribute(1, key, value);
      });
      writer.message(2, () => {
        writer.message(1, () => writer.text(1, 'pprof'));
        for (const [index, { type, unit }] of this.#types.entries()) {
          writer.message(2, () => this.#writeProfile(writer, index, type, unit, time));
        }
      });
    });
    return writer.result();
  }

  #readTables(): void {
    const reader = this.#reader;
    const end = reader.bytes.length;
    eachField(reader, end, (tag) => {
      if ((tag & 7) === LENGTH) this.#count();
      if (tag === pprof.string) {
        const stop = reader.enter(end);
        this.#strings.push(reader.bytes.toString('utf8', reader.position, stop));
        reader.position = stop;
      } else if (tag === pprof.mapping || tag === pprof.location || tag === pprof.function) {
        const table = tag === pprof.mapping ? 'mapping' : tag === pprof.location ? 'location' : 'function';
        this.#index(this.#indexes[table], reader.enter(end));
      } else if (tag === pprof.sampleType) {
        const { type, unit } = this.#numbers(reader.enter(end), { type: 8, unit: 16 });
        this.#types.push({ type, unit });
      } else if (tag === pprof.time) this.#time = this.#int64();
      else if (tag === pprof.duration) this.#duration = this.#int64();
      else return false;
      return true;
    });
    reader.position = 0;
    eachField(reader, end, (tag) => {
      if (tag !== pprof.sample) return false;
      this.#readSample(reader.enter(end));
      return true;
    });
  }

  /** Assigns the message up to `end` the next index of its table; 0 means none. */
  #index(table: Map<number, number>, end: number): void {
    const { id } = this.#numbers(end, { id: 8 });
    table.set(id, table.size + 1);
  }

  /** Reads single numbers by their tags. */
  #numbers<K extends string>(end: number, tags: Record<K, number>): Record<K, number> {
    const reader = this.#reader;
    const found = Object.fromEntries(Object.keys(tags).map((name) => [name, 0])) as Record<K, number>;
    const names = Object.entries<number>(tags) as [K, number][];
    eachField(reader, end, (tag) => {
      const [name] = names.find(([, wanted]) => wanted === tag) ?? [];
      if (name === undefined) return false;
      found[name] = reader.varint();
      return true;
    });
    return found;
  }

  #int64(): bigint {
    this.#reader.int64();
    return (BigInt(this.#reader.high) << 32n) | BigInt(this.#reader.low >>> 0);
  }

  #readSample(end: number): void {
    const reader = this.#reader;
    const start = reader.position;
    const locations: number[] = [];
    eachNumber(reader, end, 10, 8, (id) => {
      const index = this.#indexes.location.get(id);
      if (index === undefined) throw new WireError(`a sample has location ${id}, which is not there`);
      locations.push(index);
    });
    const values: bigint[] = [];
    const attributes: number[] = [];
    const ids = { trace: '', span: '' };
    reader.position = start;
    eachField(reader, end, (tag) => {
      if (tag === 16) values.push(this.#int64());
      else if (tag === 18) {
        const stop = reader.enter(end);
        while (reader.position < stop) values.push(this.#int64());
        reader.finish(stop);
      } else if (tag === 26) this.#readLabel(reader.enter(end), attributes, ids);
      else return false;
      return true;
    });
    if (values.length !== this.#types.length) {
      throw new WireError(`a sample has ${values.length} values, and there are ${this.#types.length} types of them`);
    }
    const stack = numbered(this.#stacks, locations.join(','));
    const link = numbered(this.#links, ids.trace === '' && ids.span === '' ? '' : `${ids.trace},${ids.span}`);
    this.#samples.push({ stack, attributes, link, values });
  }

  #count(): void {
    if (++this.#entries > MAX_ENTRIES) throw new TooLarge(`the profile has more than ${MAX_ENTRIES} entries`);
  }

  #readLabel(end: number, attributes: number[], ids: { trace: string; span: string }): void {
    this.#count();
    const reader = this.#reader;
    const label: Label = { key: 0, text: 0, number: 0n };
    eachField(reader, end, (tag) => {
      if (tag === 8) label.key = reader.varint();
      else if (tag === 16) label.text = reader.varint();
      else if (tag === 24) label.number = this.#int64();
      else return false;
      return true;
    });
    const name = (this.#strings[label.key] ?? '').toLowerCase();
    const text = this.#strings[label.text] ?? '';
    if (traceLabels.has(name) && /^[0-9a-f]{32}$/i.test(text)) ids.trace = text;
    else if (spanLabels.has(name) && /^[0-9a-f]{16}$/i.test(text)) ids.span = text;
    else if (name !== '') {
      const key = `${label.key}:${label.text}:${label.number}`;
      const index = this.#attributeIndexes.get(key) ?? this.#attributes.size;
      this.#attributeIndexes.set(key, index);
      this.#attributes.set(key, label);
      attributes.push(index);
    }
  }

  #writeProfile(writer: OtlpWriter, index: number, type: number, unit: number, time: bigint): void {
    writer.message(1, () => {
      writer.number(1, type);
      writer.number(2, unit);
    });
    for (const { stack, attributes, link, values } of this.#samples) {
      const value = values[index] ?? 0n;
      if (value === 0n) continue;
      writer.message(2, () => {
        writer.number(1, stack);
        if (attributes.length > 0) writePacked(writer, 2, attributes);
        if (link > 0) writer.number(3, link);
        writer.message(4, () => writer.bigVarint(value));
      });
      writer.checkSize();
    }
    writer.fixed(3, time);
    writer.varint(4 * 8 + VARINT);
    writer.bigVarint(this.#duration);
  }

  #writeDictionary(writer: OtlpWriter): void {
    const reader = this.#reader;
    const end = reader.bytes.length;
    for (const field of [1, 2, 3, 4]) writer.message(field, () => {});
    reader.position = 0;
    eachField(reader, end, (tag) => {
      if (tag === pprof.mapping) {
        const { file } = this.#numbers(reader.enter(end), { file: 40 });
        writer.message(1, () => writer.number(4, file));
      } else if (tag === pprof.location) {
        const stop = reader.enter(end);
        writer.message(2, () => this.#writeLocation(writer, stop));
      } else if (tag === pprof.function) {
        const { name, systemName, file } = this.#numbers(reader.enter(end), { name: 16, systemName: 24, file: 32 });
        writer.message(3, () => {
          writer.number(1, name);
          writer.number(2, systemName);
          writer.number(3, file);
        });
      } else return false;
      return true;
    });
    for (const ids of [...this.#links.keys()].slice(1)) {
      const [trace = '', span = ''] = ids.split(',');
      writer.message(4, () => {
        if (trace !== '') writer.bytesField(1, Buffer.from(trace, 'hex'));
        if (span !== '') writer.bytesField(2, Buffer.from(span, 'hex'));
      });
    }
    for (const text of this.#strings) writer.text(5, text);
    for (const { key, text, number } of this.#attributes.values()) {
      writer.message(6, () => {
        writer.number(1, key);
        writer.message(2, () => {
          // `string_value_strindex`, which saves the text itself, or `int_value`.
          if (text > 0) writer.number(8, text);
          else {
            writer.varint(24);
            writer.bigVarint(number);
          }
        });
      });
    }
    for (const locations of this.#stacks.keys()) {
      writer.message(7, () => {
        if (locations !== '') writePacked(writer, 1, locations.split(',').map(Number));
      });
      writer.checkSize();
    }
  }

  #writeLocation(writer: OtlpWriter, end: number): void {
    const reader = this.#reader;
    eachField(reader, end, (tag) => {
      if (tag === 16) writer.number(1, this.#indexes.mapping.get(reader.varint()) ?? 0);
      else if (tag === 24) {
        writer.varint(2 * 8 + VARINT);
        writer.bigVarint(this.#int64());
      } else if (tag === 34) {
        const { func, line } = this.#numbers(reader.enter(end), { func: 8, line: 16 });
        writer.message(3, () => {
          writer.number(1, this.#indexes.function.get(func) ?? 0);
          writer.number(2, line);
        });
      } else return false;
      return true;
    });
  }
}

/** The start of a profile of this duration that ended at `now`. */
function startBefore(now: number, duration: bigint): bigint {
  const end = BigInt(now) * 1_000_000n;
  return duration > 0n && duration < end ? end - duration : end;
}

function numbered(table: Map<string, number>, key: string): number {
  const index = table.get(key) ?? table.size;
  table.set(key, index);
  return index;
}

function writePacked(writer: OtlpWriter, field: number, values: readonly number[]): void {
  writer.message(field, () => {
    for (const value of values) writer.varint(value);
  });
}
