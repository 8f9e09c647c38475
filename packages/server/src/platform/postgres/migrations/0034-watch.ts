/** Guards go on after everybody gets the variant. */
export const watch0034 = {
  id: 34,
  name: 'watch',
  statements: [
    `ALTER TABLE guarded_releases ADD COLUMN watched_since timestamptz`,
    `UPDATE guarded_releases SET definition = definition || '{"watch": "24h"}'::jsonb`,
  ],
} as const;
