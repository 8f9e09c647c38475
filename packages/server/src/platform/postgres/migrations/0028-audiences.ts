/**
 * Experiments for a part of all contexts: the clauses of what holds a fallthrough, and of experiments, whose layer is no longer a part of
 * their traffic. A rollback keeps what its failing requests had in common.
 */
export const audiences0028 = {
  id: 28,
  name: 'audiences',
  statements: [
    `ALTER TABLE flag_holds ADD COLUMN clauses jsonb NOT NULL DEFAULT '[]'`,
    `UPDATE experiments SET definition = (definition #- '{traffic,layer}') || jsonb_build_object(
      'audience', '[]'::jsonb, 'layer', coalesce(definition #> '{traffic,layer}', 'null'::jsonb))`,
    `ALTER TABLE guarded_release_events ADD COLUMN contrast jsonb`,
  ],
} as const;
