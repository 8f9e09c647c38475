/**
 * Bloom filters of each granule: over the values of attributes and of the resource, and over the words of bodies. Inserts and
 * merges write them, so a rare value or word of today is found without a scan: `docs/decisions/0041`.
 *
 * Parts that are older have none. Their rows are read, until a merge writes the filters; days that are over have text
 * indexes besides (`features/telemetry/text-indexes`).
 */
const filterOf = (table: string, name: string, expression: string) =>
  `ALTER TABLE ${table} ADD INDEX IF NOT EXISTS ${name} ${expression} TYPE bloom_filter(0.01) GRANULARITY 1`;

const valueFilters = (table: string) => [
  filterOf(table, 'value_filter', 'mapValues(string_attributes)'),
  filterOf(table, 'resource_filter', 'mapValues(resource)'),
];

export const granuleFilters0013 = {
  id: 13,
  name: 'granule-filters',
  statements: [
    ...valueFilters('spans'),
    ...valueFilters('logs'),
    // As `packages/oql/src/check/text-match.ts` asks for words.
    filterOf('logs', 'word_filter', `tokens(lower(body), 'splitByNonAlpha')`),
  ],
} as const;
