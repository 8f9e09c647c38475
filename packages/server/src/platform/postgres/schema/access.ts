import type { Generated } from 'kysely';
import type { Now } from './columns.ts';

export interface RoleTable {
  id: string;
  workspace_id: string;
  key: string | null;
  name: string;
  description: string;
  permissions: string[];
  version: Generated<number>;
  created_at: Now;
  updated_at: Now;
}

export interface MemberTable {
  id: string;
  workspace_id: string;
  user_id: string;
  role_id: string;
  created_at: Now;
  grants_version: Generated<number>;
}

export interface GrantTable {
  member_id: string;
  project_id: string;
  environment_id: string | null;
  role_id: string;
}

export interface InvitationTable {
  id: string;
  workspace_id: string;
  email: string;
  role_id: string;
  token_hash: Buffer;
  invited_by: string | null;
  /** The account that may accept it without the link. */
  user_id: string | null;
  created_at: Now;
  expires_at: Date;
  accepted_at: Date | null;
}

export interface ApiTokenTable {
  id: string;
  workspace_id: string;
  user_id: string;
  name: string;
  prefix: string;
  secret_hash: Buffer;
  permissions: string[];
  project_id: string | null;
  environment_id: string | null;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Now;
}

export interface SdkKeyTable {
  id: string;
  workspace_id: string;
  project_id: string;
  environment_id: string;
  name: string;
  kind: 'server' | 'client';
  allowed_origins: string[];
  prefix: string;
  secret_hash: Buffer;
  payload_key: string | null;
  created_by: string | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Now;
}
