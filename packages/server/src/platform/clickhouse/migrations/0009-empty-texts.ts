/**
 * Names of the empty texts of a map, each between two zero bytes (a name that contains one is left out). The value of a
 * key, and whether the key exists, then follow from one entry of the map and this column, instead of all its keys:
 * `docs/decisions/0027`.
 *
 * The store computes it, so that it always matches the map. For older rows it is computed when they are read, until a
 * merge writes it.
 */
const emptyTexts = (map: string) =>
  `LowCardinality(String) MATERIALIZED arrayStringConcat(arrayMap(k -> concat('\\0', k, '\\0'), arrayFilter((k, v) -> v = '' AND position(k, '\\0') = 0, mapKeys(${map}), mapValues(${map})))) COMMENT 'names of empty texts in ${map}'`;

const added = (table: string) => [
  `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS empty_attributes ${emptyTexts('string_attributes')}`,
  `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS empty_resource ${emptyTexts('resource')}`,
];

export const emptyTexts0009 = {
  id: 9,
  name: 'empty-texts',
  statements: [...added('spans'), ...added('logs')],
} as const;
