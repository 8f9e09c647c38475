/**
 * OTLP data besides names and attributes: schema URLs, dropped counts, the state and flags of links. And the types of
 * values in maps of texts (`…_types`): the key between a zero byte and a byte 1, then a letter for its type; a missing
 * key was sent as text. `packages/telemetry/src/transcode/attributes.ts` writes it.
 *
 * A single text, nearly always equal or empty, rather than a map: each map takes several files per part.
 *
 * Older rows have neither: their values are texts and their counts 0.
 */
const about = [
  `resource_types LowCardinality(String)`,
  `resource_schema_url LowCardinality(String)`,
  `resource_dropped_attributes_count UInt32`,
  `scope_types LowCardinality(String)`,
  `scope_schema_url LowCardinality(String)`,
  `scope_dropped_attributes_count UInt32`,
];

/** Each list is as long as the row's list of events or links, also in rows that are older than the column. */
const lists = [
  `event_types Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', event_time)`,
  `event_dropped_attributes_count Array(UInt32) DEFAULT arrayMap(x -> 0, event_time)`,
  `link_types Array(LowCardinality(String)) DEFAULT arrayMap(x -> '', link_trace_id)`,
  `link_trace_state Array(String) DEFAULT arrayMap(x -> '', link_trace_id) CODEC(ZSTD(1))`,
  `link_flags Array(UInt32) DEFAULT arrayMap(x -> 0, link_trace_id)`,
  `link_dropped_attributes_count Array(UInt32) DEFAULT arrayMap(x -> 0, link_trace_id)`,
];

const attributeTypes = `attribute_types LowCardinality(String)`;

const columns: Readonly<Record<string, readonly string[]>> = {
  spans: [...about, ...lists],
  logs: about,
  metric_series: [...about, attributeTypes],
  exemplars: [attributeTypes],
  profile_samples: [`resource_types LowCardinality(String)`, attributeTypes],
};

export const wholeTelemetry0011 = {
  id: 11,
  name: 'whole-telemetry',
  statements: Object.entries(columns).flatMap(([table, added]) =>
    added.map((column) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column}`),
  ),
} as const;
