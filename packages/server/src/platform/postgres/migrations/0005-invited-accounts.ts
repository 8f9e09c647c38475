/** Invitations that a signed-in account can accept without the link. */
export const invitedAccounts0005 = {
  id: 5,
  name: 'invited-accounts',
  statements: [
    // Set only if an existing account was invited: an address alone proves nothing, the link does.
    `ALTER TABLE invitations ADD COLUMN user_id uuid REFERENCES users ON DELETE SET NULL`,
    `CREATE INDEX invitations_user ON invitations (user_id, id) WHERE accepted_at IS NULL`,
  ],
} as const;
