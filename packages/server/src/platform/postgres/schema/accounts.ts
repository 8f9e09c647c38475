import type { Now } from './columns.ts';

export interface UserTable {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  created_at: Now;
  updated_at: Now;
}

/** The identity of an account at a provider: issuer and subject, never the e-mail address. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  user_id: string;
  slug: string;
  created_at: Now;
}

export interface SessionTable {
  id_hash: Buffer;
  user_id: string;
  created_at: Now;
  last_seen_at: Now;
  expires_at: Date;
  ip: string | null;
  user_agent: string | null;
}

/** Failed attempts per window; `kind` names what is counted (`login:account`, `login:address` …). */
export interface AttemptTable {
  kind: string;
  subject: string;
  window_start: Date;
  attempts: number;
}

export interface OidcFlowTable {
  state_hash: Buffer;
  /** Hash of the cookie of the browser that began the flow; only that browser can complete it. */
  browser_hash: Buffer;
  slug: string;
  nonce: string;
  code_verifier: string;
  return_to: string;
  expires_at: Date;
}
