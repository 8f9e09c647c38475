import type { Role } from '../config.ts';
import type { MountedRoute } from '../http/context.ts';
import type { JobKind } from '../platform/jobs/index.ts';
import type { OutboxSubscriber } from '../platform/outbox/index.ts';
import type { TenantTable } from '../platform/scoped-telemetry.ts';
import type { AnyChangeKind } from './change-kind.ts';

export type { TenantTable };

/**
 * The manifest of a feature. `features.ts` lists all manifests; from it derive the server's routes, background work,
 * change kinds, tenant tables and outbox subscriptions.
 * @template Parts the parts of the server that the feature needs, by name; it gets no others
 */
export interface Feature<Parts = never> {
  /** Its folder below `features`: `identity/roles`. */
  readonly name: string;
  /** The role of the replicas that serve its routes; `api` by default. */
  readonly role?: Role;
  readonly routes?: (parts: Parts) => readonly MountedRoute[];
  /** Run by replicas with the role `jobs`. */
  readonly jobs?: (parts: Parts) => readonly JobKind[];
  /** Changes to what flags serve that can wait for approval or a time. */
  readonly changeKinds?: readonly AnyChangeKind[];
  /**
   * The tables that it fills. Queries are restricted to the tenant in each, and a removed place is deleted from each.
   */
  readonly tenantTables?: readonly TenantTable[];
  /** Begins work that runs all the time beside the jobs, on replicas with the role `jobs`; `stop` ends it. */
  readonly start?: (parts: Parts) => { stop(): Promise<void> };
  readonly subscriptions?: (parts: Parts) => readonly OutboxSubscriber[];
  /** Ends work that never ends by itself, such as streams. Called before the listeners wait for open requests. */
  readonly stop?: (parts: Parts) => unknown;
}
