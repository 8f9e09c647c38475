import { MAX_LABELS } from '../remote-write/labels.ts';
import { TooLarge } from '../scan/outcome.ts';
import { WireError, WireReader } from '../wire/reader.ts';
import { eachField, indexOf, readPacked } from '../wire/walk.ts';
import { encodeAttribute } from './otlp-writer.ts';

/** `prometheus.MetricMetadata.MetricType`, the same numbers in both versions. */
export const metricType = { unknown: 0, counter: 1, gauge: 2, histogram: 3, gaugeHistogram: 4, summary: 5 } as const;

export interface Sample {
  value: number;
  /** Whether the value is the staleness marker, by the bits of its NaN. */
  stale: boolean;
  /** Unix milliseconds. */
  time: number;
  start: number;
}

export interface Exemplar {
  labels: [string, string][];
  value: number;
  time: number;
}

/** The range of a `Histogram` message, which is parsed when it is written. */
export interface HistogramRange {
  start: number;
  end: number;
}

/** A label. Equal labels of a request share one object, since most occur in every series of a target. */
export interface Label {
  /** Distinguishes the labels of one request. */
  id: number;
  name: string;
  value: string;
  /** As an OTLP `KeyValue`. */
  encoded: Buffer;
}

/** Labels cached while a request is read; further ones are created each time. */
const MAX_KNOWN = 100_000;

class Labels {
  readonly #known = new Map<string | number, Label>();
  #count = 0;

  /** The label of a key, created by `read` if it is new. */
  get(key: string | number, read: () => [string, string]): Label {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [name, value] = read();
    const label = { id: this.#count++, name, value, encoded: encodeAttribute(name, value) };
    if (this.#known.size === MAX_KNOWN) this.#known.clear();
    this.#known.set(key, label);
    return label;
  }
}

/** One `TimeSeries` of either version. The time of a series applies to samples without their own. */
export interface Series {
  name: string;
  labels: Label[];
  type: number;
  help: string;
  unit: string;
  created: number;
  samples: Sample[];
  histograms: HistogramRange[];
  exemplars: Exemplar[];
}

const MAX_SYMBOLS = 1_000_000;
/** `prometheus/model/value/value.go`: the NaN that marks the end of a series. */
const STALE_LOW = 2;
const STALE_HIGH = 0x7ff00000;

export function isStale(bytes: Buffer, at: number): boolean {
  return bytes.readUInt32LE(at) === STALE_LOW && bytes.readUInt32LE(at + 4) === STALE_HIGH;
}

/** A varint of milliseconds; 0 for an impossible time. */
export function readMillis(reader: WireReader): number {
  reader.int64();
  return reader.high < 0 ? 0 : reader.high * 4294967296 + (reader.low >>> 0);
}

/** A double. A truncated one is detected at the end of its message. */
export function doubleAt(bytes: Buffer, at: number): number {
  return at + 8 > bytes.length ? 0 : bytes.readDoubleLE(at);
}

/**
 * Reads `prometheus.WriteRequest` (remote write 1.0). The metadata of a metric family applies to all of its series.
 * @throws {WireError | TooLarge}
 */
export function readVersion1(body: Buffer, maxSeries: number): Series[] {
  const reader = new WireReader(body);
  const families = new Map<string, Pick<Series, 'type' | 'help' | 'unit'>>();
  const all: Series[] = [];
  const labels = new Labels();
  eachField(reader, body.length, (tag) => {
    if (tag === 10) {
      if (all.length === maxSeries) throw new TooLarge(`more than ${maxSeries} series in one request`);
      all.push(readSeries1(reader, reader.enter(body.length), labels));
    } else if (tag === 26) {
      const { name, ...family } = readFamily(reader, reader.enter(body.length));
      families.set(name, family);
    } else return false;
    return true;
  });
  if (families.size > 0) {
    for (const series of all) Object.assign(series, familyOf(series.name, families));
  }
  return all;
}

/** Components of a classic histogram or summary are found by the name of the family. */
function familyOf<T>(name: string, families: Map<string, T>): T | undefined {
  return families.get(name) ?? families.get(name.replace(/_(bucket|sum|count|total|info)$/, ''));
}

function emptySeries(): Series {
  return { name: '', labels: [], type: 0, help: '', unit: '', created: 0, samples: [], histograms: [], exemplars: [] };
}

function readSeries1(reader: WireReader, end: number, labels: Labels): Series {
  const series = emptySeries();
  eachField(reader, end, (tag) => {
    const stop = (tag & 7) === 2 ? reader.enter(end) : end;
    if (tag === 10) {
      // Equal bytes are the same label, so they are parsed once.
      const key = reader.bytes.toString('latin1', reader.position, stop);
      addLabel(
        series,
        labels.get(key, () => readLabel(reader, stop)),
      );
      reader.position = stop;
    } else if (tag === 18) series.samples.push(readSample(reader, stop));
    else if (tag === 26) series.exemplars.push(readExemplar(reader, stop, undefined));
    else if (tag === 34) series.histograms.push(skipHistogram(reader, stop));
    else if ((tag & 7) === 2) reader.position = stop;
    else return false;
    return true;
  });
  return series;
}

/** Reads labels and metadata as a `SampleReader` gives them. */
export function readKey(key: Buffer): Series {
  const reader = new WireReader(key);
  const series = emptySeries();
  eachField(reader, key.length, (tag) => {
    if (tag === 10) {
      const [name, value] = readLabel(reader, reader.enter(key.length));
      addLabel(series, { id: 0, name, value, encoded: encodeAttribute(name, value) });
    } else if (tag === 26) {
      const { type, help, unit } = readFamily(reader, reader.enter(key.length));
      Object.assign(series, { type, help, unit });
    } else return false;
    return true;
  });
  return series;
}

/**
 * Reads `io.prometheus.write.v2.Request` (remote write 2.0), whose labels are indexes into a string table.
 * @throws {WireError | TooLarge}
 */
export function readVersion2(body: Buffer, maxSeries: number): Series[] {
  const reader = new WireReader(body);
  const symbols: string[] = [];
  eachField(reader, body.length, (tag) => {
    if (tag !== 34) return false;
    if (symbols.length === MAX_SYMBOLS) throw new TooLarge(`more than ${MAX_SYMBOLS} symbols in one request`);
    symbols.push(readText(reader, body.length));
    return true;
  });
  const all: Series[] = [];
  const labels = new Labels();
  reader.position = 0;
  eachField(reader, body.length, (tag) => {
    if (tag !== 42) return false;
    if (all.length === maxSeries) throw new TooLarge(`more than ${maxSeries} series in one request`);
    all.push(readSeries2(reader, reader.enter(body.length), symbols, labels));
    return true;
  });
  return all;
}

function readSeries2(reader: WireReader, end: number, symbols: readonly string[], labels: Labels): Series {
  const series = emptySeries();
  const references: number[] = [];
  eachField(reader, end, (tag) => {
    if (tag === 48) series.created = readMillis(reader);
    else if (tag === 8) pushReference(references, indexOf(reader));
    else if ((tag & 7) !== 2) return false;
    else {
      const stop = reader.enter(end);
      if (tag === 10) readPacked(reader, stop, (reference) => pushReference(references, reference));
      else if (tag === 18) series.samples.push(readSample(reader, stop));
      else if (tag === 26) series.histograms.push(skipHistogram(reader, stop));
      else if (tag === 34) series.exemplars.push(readExemplar(reader, stop, symbols));
      else if (tag === 42) readMetadata(reader, stop, series, symbols);
      else reader.position = stop;
    }
    return true;
  });
  if (references.length % 2 !== 0) throw new WireError('a label has a name and no value');
  for (let i = 0; i < references.length; i += 2) {
    const [name, value] = [references[i] ?? 0, references[i + 1] ?? 0];
    if (value >= symbols.length) symbolAt(symbols, value);
    const key = name * symbols.length + value;
    addLabel(
      series,
      labels.get(key, () => [symbolAt(symbols, name), symbolAt(symbols, value)]),
    );
  }
  return series;
}

function pushReference(references: number[], reference: number): void {
  if (references.length === MAX_LABELS * 2) throw new WireError(`a series has more than ${MAX_LABELS} labels`);
  references.push(reference);
}

function pairs(references: readonly number[], symbols: readonly string[]): [string, string][] {
  if (references.length % 2 !== 0) throw new WireError('a label has a name and no value');
  const labels: [string, string][] = [];
  for (let i = 0; i < references.length; i += 2) {
    labels.push([symbolAt(symbols, references[i]), symbolAt(symbols, references[i + 1])]);
  }
  return labels;
}

function symbolAt(symbols: readonly string[], index = -1): string {
  const symbol = symbols[index];
  if (symbol === undefined) throw new WireError('a reference points to no symbol');
  return symbol;
}

function readMetadata(reader: WireReader, end: number, series: Series, symbols: readonly string[]): void {
  eachField(reader, end, (tag) => {
    if (tag === 8) series.type = indexOf(reader);
    else if (tag === 24) series.help = symbolAt(symbols, indexOf(reader));
    else if (tag === 32) series.unit = symbolAt(symbols, indexOf(reader));
    else return false;
    return true;
  });
}

function readFamily(reader: WireReader, end: number): Pick<Series, 'name' | 'type' | 'help' | 'unit'> {
  const family = { name: '', type: 0, help: '', unit: '' };
  eachField(reader, end, (tag) => {
    if (tag === 8) family.type = indexOf(reader);
    else if (tag === 18) family.name = readText(reader, end);
    else if (tag === 34) family.help = readText(reader, end);
    else if (tag === 42) family.unit = readText(reader, end);
    else return false;
    return true;
  });
  return family;
}

/** A label with an empty value counts as absent. */
function addLabel(series: Series, label: Label): void {
  if (series.labels.length === MAX_LABELS) throw new WireError(`a series has more than ${MAX_LABELS} labels`);
  if (label.name === '__name__') series.name = label.value;
  else if (label.value !== '') series.labels.push(label);
}

function readLabel(reader: WireReader, end: number): [string, string] {
  let name = '';
  let value = '';
  eachField(reader, end, (tag) => {
    if (tag === 10) name = readText(reader, end);
    else if (tag === 18) value = readText(reader, end);
    else return false;
    return true;
  });
  return [name, value];
}

function readSample(reader: WireReader, end: number): Sample {
  const sample: Sample = { value: 0, stale: false, time: 0, start: 0 };
  const { bytes } = reader;
  eachField(reader, end, (tag) => {
    if (tag === 9) {
      sample.value = doubleAt(bytes, reader.position);
      sample.stale = Number.isNaN(sample.value) && isStale(bytes, reader.position);
      reader.position += 8;
    } else if (tag === 16) sample.time = readMillis(reader);
    else if (tag === 24) sample.start = readMillis(reader);
    else return false;
    return true;
  });
  return sample;
}

/** @param symbols of version 2; `undefined`: the labels are texts. */
function readExemplar(reader: WireReader, end: number, symbols: readonly string[] | undefined): Exemplar {
  const exemplar: Exemplar = { labels: [], value: 0, time: 0 };
  const references: number[] = [];
  eachField(reader, end, (tag) => {
    if (tag === 10 && symbols === undefined) exemplar.labels.push(readLabel(reader, reader.enter(end)));
    else if (tag === 10) readPacked(reader, reader.enter(end), (reference) => pushReference(references, reference));
    else if (tag === 8 && symbols !== undefined) pushReference(references, indexOf(reader));
    else if (tag === 17) {
      exemplar.value = doubleAt(reader.bytes, reader.position);
      reader.position += 8;
    } else if (tag === 24) exemplar.time = readMillis(reader);
    else return false;
    return true;
  });
  if (symbols !== undefined) exemplar.labels = pairs(references, symbols);
  return exemplar;
}

function skipHistogram(reader: WireReader, end: number): HistogramRange {
  const start = reader.position;
  eachField(reader, end, () => false);
  return { start, end };
}

function readText(reader: WireReader, end: number): string {
  const stop = reader.enter(end);
  const text = reader.bytes.toString('utf8', reader.position, stop);
  reader.position = stop;
  return text;
}
