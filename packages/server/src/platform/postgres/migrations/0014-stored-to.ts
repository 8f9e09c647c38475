/**
 * Up to when what a server has acknowledged can be queried, so that alert rules do not resolve on rows that are still in its log,
 * and whether a rule was last evaluated while such rows were missing.
 */
export const storedTo0014 = {
  id: 14,
  name: 'stored-to',
  statements: [
    `ALTER TABLE replicas ADD COLUMN stored_to timestamptz`,
    `ALTER TABLE alert_rules ADD COLUMN delayed boolean NOT NULL DEFAULT false`,
  ],
} as const;
