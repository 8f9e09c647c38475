import type { UserRow } from './store.ts';

/** An account as the API shows it. Of the password it shows only whether there is one. */
export function userView(user: UserRow) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    has_password: user.password_hash !== null,
    created_at: user.created_at.toISOString(),
  };
}
