/**
 * Names of the texts of a map that are empty, each between two zero bytes (a name that has one itself is left out). What a
 * map has under a key and whether it has the key are then told by one entry of it and by this column, instead of by
 * all its keys: `docs/decisions/0027`.
 *
 * The store computes it, so that it cannot say anything else than the map. Of rows that are older it is computed when they
 * are read, until a merge writes it.
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
