import type { Permission } from '@fanion/contract';

/** Who calls, as the credential tells. */
export type Caller = Anonymous | SessionCaller | TokenCaller | SdkCaller;
/** A person, or a token that acts for one. */
export type UserCaller = SessionCaller | TokenCaller;

export interface Anonymous {
  readonly kind: 'anonymous';
}
export interface CallerUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}
export interface SessionCaller {
  readonly kind: 'session';
  readonly user: CallerUser;
  readonly sessionHash: Buffer;
}
export interface TokenCaller {
  readonly kind: 'token';
  /** Who made the token: it never has more permissions than this person has now. */
  readonly user: CallerUser;
  readonly tokenId: string;
  readonly tokenName: string;
  readonly workspaceId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The only project (and environment) that the token may see, where it is pinned. */
  readonly projectId: string | null;
  readonly environmentId: string | null;
}
export interface SdkCaller {
  readonly kind: 'sdk';
  readonly keyId: string;
  readonly keyKind: 'server' | 'client';
  readonly allowedOrigins: readonly string[];
  readonly workspaceId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** What its places are called in the telemetry store. */
  readonly workspaceNumber: number;
  readonly projectNumber: number;
  readonly environmentKey: string;
}

export interface WorkspaceRef {
  readonly id: string;
  readonly number: number;
  readonly slug: string;
  readonly name: string;
}
export interface ProjectRef {
  readonly id: string;
  readonly number: number;
  readonly key: string;
  readonly name: string;
}
export interface EnvironmentRef {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly requiresApproval: boolean;
}

/** Names as a path or an input gives them: ids, slugs or keys. */
export interface ScopeNames {
  readonly workspace?: string;
  readonly project?: string;
  readonly environment?: string;
}

/** What the names stand for, and what the caller may do there. */
export interface Scope {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef | undefined;
  readonly environment: EnvironmentRef | undefined;
  /** Permissions at the deepest place that was named. */
  readonly permissions: ReadonlySet<Permission>;
  /**
   * Permissions that hold in every project and environment below; smaller than `permissions` for a member whose
   * grants narrow the role somewhere and for a pinned token.
   */
  readonly permissionsBelow: ReadonlySet<Permission>;
}

export interface Credentials {
  readonly cookie: string | undefined;
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
}

/** What the edge needs to know of accounts and workspaces; `features/access` implements it. */
export interface Access {
  /** Throws `UNAUTHENTICATED` for a credential that is not valid; no credential at all is `anonymous`. */
  authenticate(credentials: Credentials): Promise<Caller>;
  /**
   * Resolves names for a caller. Whatever does not exist or is not visible to the caller is the same `NOT_FOUND`.
   * Without `workspace`: the token's workspace, or the only one of the user (`WORKSPACE_REQUIRED` otherwise).
   * A pinned token gets its project and environment where none is named. An environment without a project is resolved where
   * it is given by id; a key may stand for environments of several projects, so it resolves to none of them.
   */
  scope(caller: UserCaller, names: ScopeNames): Promise<Scope>;
}
