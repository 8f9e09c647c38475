import { metric } from '../wire/fields.ts';
import type { WireReader } from '../wire/reader.ts';

/** Where a text is in the body. */
export interface Range {
  start: number;
  length: number;
}

/** The texts of a metric: name, unit and description. */
export interface MetricTexts {
  name: Range;
  unit: Range;
  description: Range;
}

/** Reads the texts of a metric, which may come after its points. */
export function readTexts(reader: WireReader, end: number): MetricTexts {
  const texts: MetricTexts = {
    name: { start: end, length: 0 },
    unit: { start: end, length: 0 },
    description: { start: end, length: 0 },
  };
  while (reader.position < end) {
    const tag = reader.tag();
    const range =
      tag === metric.name
        ? texts.name
        : tag === metric.unit
          ? texts.unit
          : tag === metric.description
            ? texts.description
            : undefined;
    if (range === undefined) {
      reader.skip(tag, end);
      continue;
    }
    const stop = reader.enter(end);
    range.start = reader.position;
    range.length = stop - reader.position;
    reader.position = stop;
  }
  return texts;
}
