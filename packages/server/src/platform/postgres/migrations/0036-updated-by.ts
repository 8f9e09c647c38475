const tables = [
  'alert_rules',
  'channels',
  'experiments',
  'flag_metrics',
  'inhibition_rules',
  'recording_rules',
  'routing_policies',
  'slos',
] as const;

/** Who wrote the current version. Of versions from before, only who wrote the first one is known. */
export const updatedBy0036 = {
  id: 36,
  name: 'updated-by',
  statements: tables.flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN updated_by uuid REFERENCES users ON DELETE SET NULL`,
    `UPDATE ${table} SET updated_by = created_by WHERE version = 1`,
  ]),
} as const;
