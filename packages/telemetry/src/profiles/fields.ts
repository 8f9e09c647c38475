/**
 * Tags of the OTLP profiles messages (`opentelemetry/proto/profiles/v1development/profiles.proto`, alpha of 2026):
 * field number × 8 + wire type. Lists of numbers are packed (wire type 2) or not (0 or 1).
 */
export const exportRequest = { resourceProfiles: 10, dictionary: 18 } as const;
export const dictionary = {
  mappings: 10,
  locations: 18,
  functions: 26,
  links: 34,
  strings: 42,
  attributes: 50,
  stacks: 58,
} as const;
export const mapping = { filename: 32 } as const;
export const location = { mapping: 8, address: 16, lines: 26 } as const;
export const line = { function: 8, line: 16 } as const;
export const func = { name: 8, systemName: 16, filename: 24 } as const;
export const link = { traceId: 10, spanId: 18 } as const;
export const stack = { locations: 10, location: 8 } as const;
export const attribute = { key: 8, value: 18 } as const;
/** A text given as an index into the string table, in `KeyValue` and in `AnyValue`. */
export const keyReference = 24;
export const stringReference = 64;
export const profile = {
  sampleType: 10,
  samples: 18,
  time: 25,
  duration: 32,
  attributes: 90,
  attribute: 88,
} as const;
export const valueType = { type: 8, unit: 16 } as const;

/** The field numbers of a sample, which changed between release 1.9 and the alpha. */
export interface SampleLayout {
  readonly attributes: number;
  readonly attribute: number;
  readonly link: number;
  readonly values: number;
  readonly value: number;
}
export const alphaLayout: SampleLayout = { attributes: 18, attribute: 16, link: 24, values: 34, value: 32 };
export const layoutOf19: SampleLayout = { values: 18, value: 16, attributes: 26, attribute: 24, link: 32 };
export const sample = { stack: 8, times: 42, time: 41 } as const;
