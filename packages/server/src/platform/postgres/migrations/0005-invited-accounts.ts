/** Invitations that an account accepts while it is signed in, without the link. */
export const invitedAccounts0005 = {
  id: 5,
  name: 'invited-accounts',
  statements: [
    // Only of who was named as an existing account: an address alone proves nothing, the link does.
    `ALTER TABLE invitations ADD COLUMN user_id uuid REFERENCES users ON DELETE SET NULL`,
    `CREATE INDEX invitations_user ON invitations (user_id, id) WHERE accepted_at IS NULL`,
  ],
} as const;
