/** Flag metadata, and whether client keys see a flag. Existing flags stay unchanged. */
export const flagMetadata0004 = {
  id: 4,
  name: 'flag-metadata',
  statements: [
    `ALTER TABLE flags ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}', ADD COLUMN client_visible boolean NOT NULL DEFAULT true`,
  ],
} as const;
