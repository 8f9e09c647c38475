import { type AnyRoute, allRoutes as declared, routePath } from '@fanion/contract';
import { cookiesOf, testClient, testPassword } from '../../../packages/server/src/testing/test-client.ts';
import type { Params } from './needs.ts';
import { own, resources, steps, unique } from './set-up.ts';
import { openWebSocket } from './web-socket.ts';
import { need, type Tenant } from './world.ts';

/** Every declared route except those of ingest protocols, whose bodies are bytes and which have their own tests. */
export const allRoutes = declared.filter(({ auth }) => auth !== 'ingest');
export const ingestRoutes = declared.filter(({ auth }) => auth === 'ingest');

/** Names of the parameters in a route's path. */
export function parametersOf(route: AnyRoute): string[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].flatMap((match) => match[1] ?? []);
}

/** A request, ready to be sent with any credential. */
export interface Operation {
  readonly route: AnyRoute;
  readonly method: string;
  readonly params: Params;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly cookie: string | undefined;
}

function routeOf(id: string): AnyRoute {
  const route = allRoutes.find((declared) => declared.id === id);
  if (route === undefined) throw new Error(`test/security/support/set-up.ts: no route has the id ${id}`);
  return route;
}
for (const id of Object.keys(own)) routeOf(id);
for (const [of, step] of steps) {
  if (!allRoutes.some(({ id }) => of.test(id))) routeOf(of.source);
  if (typeof step === 'string') routeOf(step);
}
const stepBefore = ({ id }: AnyRoute) => steps.find(([of]) => of.test(id))?.[1];

/** The example's body with unique names, so that it can be sent repeatedly and always changes something. */
function bodyOf({ example, reads }: AnyRoute): unknown {
  const body = example?.body;
  if (typeof body !== 'object' || body === null || reads) return body;
  const uniqueIn = ([name, value]: [string, unknown]) => {
    if (name === 'email') return [name, `${unique('guest')}@example.com`];
    const isUnique = typeof value === 'string' && /^(key|name|description|owner)$/.test(name);
    return [name, isUnique ? unique(value) : value];
  };
  return Object.fromEntries(Object.entries(body).map(uniqueIn));
}

/** What the owner gets for the request of a route: what was created, or listed. */
async function answerOf(route: AnyRoute, tenant: Tenant, given: Params = {}) {
  return (await need(sendAsOwner(tenant, await prepare(route, tenant, given)))).data;
}
const creating = (tenant: Tenant) => (id: string, given?: Params) => answerOf(routeOf(id), tenant, given);

/**
 * The value of a parameter in a path: of a resource that `set-up.ts` names, else of one that the example of the
 * collection's POST creates, else of the first one in the collection's list.
 */
async function parameterOf(route: AnyRoute, name: string, tenant: Tenant, params: Params): Promise<string> {
  const place = route.path.slice(0, route.path.indexOf(`/{${name}}`));
  const collection = place.slice(place.lastIndexOf('/') + 1);
  const { shared, create } = resources[`${collection}/{${name}}`] ?? {};
  const canShare = route.reads && stepBefore(route) === undefined;
  if (shared !== undefined && canShare) return shared(tenant);
  if (create !== undefined) return create(tenant, creating(tenant));
  const creates = ({ method, reads, example }: AnyRoute) => method === 'POST' && !reads && example?.body !== undefined;
  const source =
    allRoutes.find((other) => other.path === place && creates(other)) ??
    allRoutes.find((other) => other.path === place && other.list) ??
    allRoutes.find((other) => other.path.endsWith(`/${collection}`) && creates(other));
  if (source === undefined) throw new Error(`${route.id}: no route creates or lists what {${name}} names`);
  const data = await answerOf(source, tenant, params);
  const value = (Array.isArray(data) ? data[0] : data)?.[name === 'skey' ? 'key' : name];
  if (value === undefined) throw new Error(`${route.id}: the answer of ${source.id} has no ${name}`);
  return String(value);
}

/**
 * The request that succeeds for the tenant's owner; called for each request that must succeed. It is the route's example
 * in the contract, for resources that the examples of other routes create, with what `set-up.ts` adds.
 */
export async function prepare(route: AnyRoute, tenant: Tenant, given: Params = {}): Promise<Operation> {
  const more = (await own[route.id]?.(tenant, creating(tenant))) ?? {};
  const params: Record<string, string> = {
    ...{ ws: tenant.workspaceId, p: tenant.projectId, e: 'production' },
    ...(route.keyParameter !== undefined && { [route.keyParameter]: 'svc_sdk_none' }),
    context: Buffer.from('{"kind":"user","key":"ada"}').toString('base64url'),
    ...more.params,
    ...given,
  };
  for (const name of parametersOf(route)) params[name] ??= await parameterOf(route, name, tenant, params);
  const step = stepBefore(route);
  if (typeof step === 'string') await answerOf(routeOf(step), tenant, params);
  else await step?.(tenant, params);
  const body = 'body' in more ? more.body : bodyOf(route);
  if (body === undefined && !route.body.safeParse(undefined).success)
    throw new Error(`${route.id}: the contract has no example of its body`);
  return {
    route,
    method: route.method,
    params,
    query: { ...(route.callerWorkspace && { workspace: tenant.workspaceId }), ...route.example?.query, ...more.query },
    body,
    cookie: more.cookie,
  };
}

/** By workspace and route: requests for tests that expect a rejection. */
const unsuccessful = new Map<string, Promise<Operation>>();

/**
 * Like `prepare`, for requests that must be rejected. Since these change nothing, they all send the same one, whose resources
 * are created once.
 */
export function prepareRejected(route: AnyRoute, tenant: Tenant): Promise<Operation> {
  const key = `${tenant.workspaceId} ${route.id}`;
  const operation = unsuccessful.get(key) ?? prepare(route, tenant);
  unsuccessful.set(key, operation);
  return operation;
}

/** The operation with other values in its path or query. */
export function redirected(
  operation: Operation,
  change: Partial<Pick<Operation, 'params' | 'query' | 'body'>>,
): Operation {
  return {
    ...operation,
    params: { ...operation.params, ...change.params },
    query: { ...operation.query, ...change.query },
    body: 'body' in change ? change.body : operation.body,
  };
}

export function pathOf({ route, params, query }: Operation): string {
  const search = new URLSearchParams(query).toString();
  return routePath(route, params) + (search === '' ? '' : `?${search}`);
}

export interface Credential {
  readonly cookie?: string;
  readonly bearer?: string;
}

export function send(base: string, operation: Operation, credential: Credential, headers: Record<string, string> = {}) {
  const { keyParameter } = operation.route;
  if (operation.route.status === 101) return openWebSocket(base, pathOf(operation), credential, headers);
  const client = testClient(base, keyParameter === undefined ? credential : {});
  const sent = keyParameter === undefined ? operation : withKey(operation, keyParameter, credential);
  return client.send(operation.method, pathOf(sent), operation.body, headers);
}

/** The request with the credential in its URL. */
function withKey(operation: Operation, name: string, { bearer }: Credential): Operation {
  if (bearer === undefined) return operation;
  return redirected(
    operation,
    operation.route.path.includes(`{${name}}`) ? { params: { [name]: bearer } } : { query: { [name]: bearer } },
  );
}

/** Sends as the owner, with their session or the operation's own. */
export function sendAsOwner(tenant: Tenant, operation: Operation, headers: Record<string, string> = {}) {
  return send(tenant.base, operation, { cookie: operation.cookie ?? tenant.cookie }, headers);
}

/** A new session of an account. */
export async function logIn(base: string, email: string): Promise<string> {
  const answer = await need(testClient(base).post('/api/v1/auth/login', { email, password: testPassword }));
  return cookiesOf(answer);
}

/** The parts of two responses that must be equal so that one reveals no more than the other. */
export function comparable(answer: { status: number; json: unknown; text: string }, identifier = ''): unknown {
  const text = answer.text
    .replace(/"request_id":"[^"]*"/g, '"request_id":"…"')
    .replaceAll(identifier === '' ? '\0' : identifier, '…');
  return { status: answer.status, text };
}
