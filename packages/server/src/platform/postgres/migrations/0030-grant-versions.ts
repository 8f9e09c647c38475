/** Grants of a member are replaced as a whole, so they have a version like every other document that is. */
export const grantVersions0030 = {
  id: 30,
  name: 'grant-versions',
  statements: ['ALTER TABLE members ADD COLUMN grants_version integer NOT NULL DEFAULT 0'],
} as const;
