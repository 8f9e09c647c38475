/**
 * Experiments: their phases (empty until the weights or the audience change for the first time), which salt they have, their last A/A
 * replay, and until when their units are kept beside the exposures.
 */
export const experimentPhases0023 = {
  id: 23,
  name: 'experiment-phases',
  statements: [
    `ALTER TABLE experiments ADD COLUMN phases jsonb NOT NULL DEFAULT '[]', ADD COLUMN salt integer NOT NULL DEFAULT 0,
      ADD COLUMN replay jsonb, ADD COLUMN pinned_to timestamptz`,
  ],
} as const;
