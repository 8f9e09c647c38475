import { WireError, type WireReader } from '../wire/reader.ts';
import { eachField, indexOf, readPacked } from '../wire/walk.ts';
import { alphaLayout, layoutOf19, profile, type SampleLayout, sample, valueType } from './fields.ts';

/** The common parts of a profile's samples. */
export class ProfileParts {
  type = 0;
  unit = 0;
  /** Position of its nanoseconds, or -1. */
  timeAt = -1;
  durationNanos = 0;
  readonly attributes: number[] = [];
  layout: SampleLayout = alphaLayout;

  /** Reads a profile up to `end`, except for its samples. */
  read(reader: WireReader, end: number): void {
    this.type = this.unit = this.durationNanos = 0;
    this.timeAt = -1;
    this.attributes.length = 0;
    const layouts = new LayoutVote();
    eachField(reader, end, (tag) => {
      switch (tag) {
        case profile.sampleType: {
          const stop = reader.enter(end);
          eachField(reader, stop, (inner) => {
            if (inner === valueType.type) this.type = indexOf(reader);
            else if (inner === valueType.unit) this.unit = indexOf(reader);
            else return false;
            return true;
          });
          return true;
        }
        case profile.samples:
          layouts.look(reader, reader.enter(end));
          return true;
        case profile.time:
          this.timeAt = reader.position;
          reader.position += 8;
          return true;
        case profile.duration:
          this.durationNanos = reader.varint();
          return true;
        case profile.attribute:
          this.attributes.push(indexOf(reader));
          return true;
        case profile.attributes:
          readPacked(reader, reader.enter(end), (index) => this.attributes.push(index));
          return true;
        default:
          return false;
      }
    });
    this.layout = layouts.result();
  }
}

/**
 * Detects the layout of samples by the wire types of their fields: links are single numbers, attributes and values are
 * lists, and every protobuf library packs lists (only our own JSON reader does not).
 */
class LayoutVote {
  #decided: SampleLayout | undefined;
  #likely: SampleLayout = alphaLayout;

  look(reader: WireReader, end: number): void {
    let has2 = false;
    let has4 = false;
    let hasTimes = false;
    let decided: SampleLayout | undefined;
    eachField(reader, end, (tag) => {
      if (tag === layoutOf19.values) has2 = true;
      else if (tag === layoutOf19.link) has4 = true;
      else if (tag === sample.times || tag === sample.time) hasTimes = true;
      else if (tag === alphaLayout.values || tag === alphaLayout.link) decided ??= alphaLayout;
      else if (tag === layoutOf19.attributes) decided ??= layoutOf19;
      return false;
    });
    if (has4) decided ??= has2 ? layoutOf19 : alphaLayout;
    this.#decided ??= decided;
    // In the alpha, a sample without values and times would be empty.
    if (has2 && !hasTimes) this.#likely = layoutOf19;
  }

  result(): SampleLayout {
    return this.#decided ?? this.#likely;
  }
}

/** One sample: a stack and its observations. */
export class SampleParts {
  stack = 0;
  link = 0;
  readonly attributes: number[] = [];
  /** The halves of each value, as signed 32-bit integers. */
  readonly valueLow: number[] = [];
  readonly valueHigh: number[] = [];
  /** Positions of nanoseconds. */
  readonly timesAt: number[] = [];

  read(reader: WireReader, end: number, layout: SampleLayout): void {
    this.stack = this.link = 0;
    this.attributes.length = this.valueLow.length = this.valueHigh.length = this.timesAt.length = 0;
    eachField(reader, end, (tag) => {
      if (tag === sample.stack) this.stack = indexOf(reader);
      else if (tag === layout.link) this.link = indexOf(reader);
      else if (tag === layout.value) this.#pushValue(reader);
      else if (tag === layout.values) {
        const stop = reader.enter(end);
        while (reader.position < stop) this.#pushValue(reader);
        reader.finish(stop);
      } else if (tag === layout.attribute) this.attributes.push(indexOf(reader));
      else if (tag === layout.attributes) {
        readPacked(reader, reader.enter(end), (index) => this.attributes.push(index));
      } else if (tag === sample.time) {
        this.timesAt.push(reader.position);
        reader.position += 8;
      } else if (tag === sample.times) {
        const stop = reader.enter(end);
        if ((stop - reader.position) % 8 !== 0) throw new WireError('a packed field ends within an element');
        for (; reader.position < stop; reader.position += 8) this.timesAt.push(reader.position);
      } else return false;
      return true;
    });
  }

  /** Number of observations; -1: values and times do not match. */
  get observations(): number {
    const values = this.valueLow.length;
    const times = this.timesAt.length;
    if (times === 0) return values;
    return values === 0 || values === times ? times : -1;
  }

  #pushValue(reader: WireReader): void {
    reader.int64();
    this.valueLow.push(reader.low);
    this.valueHigh.push(reader.high);
  }
}
