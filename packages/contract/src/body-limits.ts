/** How large the body of a route may be, and how many values its JSON may have. */
export interface BodyLimit {
  readonly bytes: number;
  /** Numbers, strings, booleans, nulls, arrays and objects together. Checking a value costs more than reading its bytes. */
  readonly values: number;
  /** Members of one object. */
  readonly members: number;
}

const kibibyte = 1024;

/**
 * - `small`: routes that anybody may call, and routes without a body
 * - `ordinary`: the default. Larger bodies are read and checked in a thread
 * - `document`: dashboards, queries with lists of parameters, JSON variants
 * - `bulk`: unit keys and targets
 * - `batch`: the flags of a company in one transaction
 *
 * `FANION_MAX_BODY_BYTES` lowers all of them. Evaluation and ingest have limits of their own.
 */
export const bodyLimits = {
  small: { bytes: 16 * kibibyte, values: 500, members: 200 },
  ordinary: { bytes: 256 * kibibyte, values: 5_000, members: 1_000 },
  document: { bytes: 8192 * kibibyte, values: 100_000, members: 10_000 },
  bulk: { bytes: 8192 * kibibyte, values: 1_200_000, members: 10_000 },
  batch: { bytes: 32 * 1024 * kibibyte, values: 3_000_000, members: 10_000 },
} as const satisfies Record<string, BodyLimit>;

export type BodyLimitName = keyof typeof bodyLimits;

/** Bytes and values of the body of an evaluation, by the kind of the key. A context describes one unit. */
export const contextLimits = {
  client: { bytes: 64 * kibibyte, values: 5_000, members: 1_000 },
  server: { bytes: 256 * kibibyte, values: 5_000, members: 1_000 },
} as const satisfies Record<string, BodyLimit>;
