import type { Permission } from '@fanion/contract';

/** The caller that the credential identifies. */
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
  /** The creator of the token: it never has more permissions than this person has now. */
  readonly user: CallerUser;
  readonly tokenId: string;
  readonly tokenName: string;
  readonly workspaceId: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The project (and environment) that the token is pinned to. */
  readonly projectId: string | null;
  readonly environmentId: string | null;
}
export interface SdkCaller {
  readonly kind: 'sdk';
  readonly keyId: string;
  readonly keyKind: 'server' | 'client';
  readonly allowedOrigins: readonly string[];
  /** What GrowthBook's payloads are encrypted with, sealed. The key then reads rules in no other form. */
  readonly payloadKey: string | null;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** Names of its workspace, project and environment in the telemetry store. */
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

/** Names from a path or an input: ids, slugs or keys. */
export interface ScopeNames {
  readonly workspace?: string;
  readonly project?: string;
  readonly environment?: string;
}

/** The resources that the names refer to, and the caller's permissions there. */
export interface Scope {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef | undefined;
  readonly environment: EnvironmentRef | undefined;
  /** Permissions at the deepest named level. */
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

/** What the HTTP layer needs to know about accounts and workspaces; `features/identity/access` implements it. */
/**
 * Lets a request use what was known of its caller within the last 15 minutes while the control plane is away. Only requests that read
 * telemetry have one: nothing is changed on the word of somebody who may have lost access.
 */
export interface Outage {
  /** Set where that was used. */
  isAway: boolean;
}

export interface Access {
  /** Throws `UNAUTHENTICATED` for an invalid credential; without a credential the caller is `anonymous`. */
  authenticate(credentials: Credentials, outage?: Outage): Promise<Caller>;
  /**
   * Resolves names for a caller. A resource that does not exist and one that the caller cannot see give the same `NOT_FOUND`.
   * Without `workspace`: the token's workspace, or the only one of the user (`WORKSPACE_REQUIRED` otherwise).
   * A pinned token gets its project and environment if the names omit them. An environment without a project resolves only
   * by id: its key may exist in several projects.
   */
  scope(caller: UserCaller, names: ScopeNames, outage?: Outage): Promise<Scope>;
}
