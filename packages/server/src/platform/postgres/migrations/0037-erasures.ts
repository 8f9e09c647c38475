/** Erasures of a person's telemetry: removals of the rows that have an attribute with a value. */
export const erasures0037 = {
  id: 37,
  name: 'erasures',
  statements: ['ALTER TABLE telemetry_removals ADD COLUMN attribute text, ADD COLUMN value text'],
} as const;
