/** What a flag tells beside its value, and whether keys for web pages see it; flags of before stay as they were. */
export const flagMetadata0004 = {
  id: 4,
  name: 'flag-metadata',
  statements: [
    `ALTER TABLE flags ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}', ADD COLUMN client_visible boolean NOT NULL DEFAULT true`,
  ],
} as const;
