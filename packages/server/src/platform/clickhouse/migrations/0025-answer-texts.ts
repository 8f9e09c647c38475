/**
 * What an answer returns as a whole, as texts beside the columns that conditions read: the resource, the scope and, of a span, its
 * events and links. A row of a map or list costs those of its whole granule, from several files: `docs/decisions/0041`.
 *
 * A resource or scope is a JSON list of the attributes, their types, the schema and how many attributes were dropped; of a scope, its
 * name and version follow. Most rows of a part share one. Events and links are a JSON list of all their columns, or an empty text.
 *
 * Ingest writes them. The engine computes them from the other columns for rows of older versions, in the background after the
 * migration, and until then when they are read.
 */
const aboutOf = (of: 'resource' | 'scope', attributes: string) =>
  `toJSONString(${attributes}), ',', toJSONString(toString(${of}_types)), ',', toJSONString(toString(${of}_schema_url)), ',', toString(${of}_dropped_attributes_count)`;

const resourceText = `LowCardinality(String) DEFAULT concat('[', ${aboutOf('resource', 'resource')}, ']') COMMENT 'resource, resource_types, resource_schema_url, resource_dropped_attributes_count'`;
const scopeText = `LowCardinality(String) DEFAULT concat('[', ${aboutOf('scope', 'scope_attributes')}, ',', toJSONString(toString(scope_name)), ',', toJSONString(toString(scope_version)), ']') COMMENT 'scope_attributes, scope_types, scope_schema_url, scope_dropped_attributes_count, scope_name, scope_version'`;

/** The lists of a span, in the order of `packages/telemetry/src/transcode/lists-text.ts`. */
const lists = [
  'arrayMap(t -> toString(toUnixTimestamp64Nano(t)), event_time)',
  ...['event_name', 'event_attributes', 'event_types', 'event_dropped_attributes_count'],
  'arrayMap(t -> lower(hex(t)), link_trace_id)',
  'arrayMap(s -> lower(hex(s)), link_span_id)',
  ...['link_attributes', 'link_types', 'link_trace_state', 'link_flags', 'link_dropped_attributes_count'],
].map((list) => `toJSONString(${list})`);
const listsText = `String DEFAULT if(empty(event_time) AND empty(link_trace_id), '', concat('[', ${lists.join(`, ',', `)}, ']')) COMMENT 'events and links; empty: there are none' CODEC(ZSTD(3))`;

const added = (table: string) => [
  `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS resource_text ${resourceText}`,
  `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS scope_text ${scopeText}`,
];

export const answerTexts0025 = {
  id: 25,
  name: 'answer-texts',
  statements: [
    `ALTER TABLE spans ADD COLUMN IF NOT EXISTS lists_text ${listsText}`,
    ...added('spans'),
    `ALTER TABLE spans MATERIALIZE COLUMN resource_text, MATERIALIZE COLUMN scope_text, MATERIALIZE COLUMN lists_text`,
    ...added('logs'),
    `ALTER TABLE logs MATERIALIZE COLUMN resource_text, MATERIALIZE COLUMN scope_text`,
  ],
} as const;
