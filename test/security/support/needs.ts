import type { TestResponse } from '../../../packages/server/src/testing/test-client.ts';
import type { Tenant } from './world.ts';

export type Params = Readonly<Record<string, string>>;
/** Sends the request of a route as the owner, and returns the data of the answer. */
export type Create = (route: string, params?: Params) => Promise<TestResponse['data']>;

/** What a request needs besides its example. */
export interface Needs {
  readonly params?: Params;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Its own session, for operations that would end or change the tenant's. */
  readonly cookie?: string;
}

export interface Resource {
  readonly shared?: (tenant: Tenant) => string | Promise<string>;
  readonly create?: (tenant: Tenant, create: Create) => string | Promise<string>;
}
export type Step = string | ((tenant: Tenant, params: Params) => Promise<void>);
