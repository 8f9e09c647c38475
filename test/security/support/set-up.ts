/** What examples of the contract cannot contain: what must happen before a request, and what only one tenant has. */
import { randomBytes } from 'node:crypto';
import { allRoutes } from '@fanion/contract';
import type { SignedUp } from '../../../packages/server/src/testing/test-client.ts';
import { addMember, signUp, testClient, testPassword } from '../../../packages/server/src/testing/test-client.ts';
import type { Create, Needs, Params, Resource, Step } from './needs.ts';
import { need, type Tenant } from './world.ts';

export const unique = (prefix: string) => `${prefix}-${randomBytes(5).toString('hex')}`;
const exampleOf = (id: string) => ({ ...(allRoutes.find((route) => route.id === id)?.example?.body as object) });
const newCookie = async ({ base }: Tenant) => (await signUp(base, unique('account'))).cookie;

/** Serves `false` to everybody in production, in the version after the given one. */
async function serveFalse(tenant: Tenant, { key = '' }: Params, enabled: boolean, version: number): Promise<void> {
  const targeting = { enabled, off_variant: 'false', fallthrough: { variant: 'false' }, version };
  await need(tenant.put(`${tenant.project}/environments/production/flags/${key}`, targeting));
}
const turnOn = (tenant: Tenant, params: Params) => serveFalse(tenant, params, true, 0);
const turnOff = (tenant: Tenant, params: Params) => serveFalse(tenant, params, false, 1);
async function archive(tenant: Tenant, { key }: Params): Promise<void> {
  await need(tenant.patch(`${tenant.project}/flags/${key}`, { archived: true }));
}
async function newFlagThatIsOn(tenant: Tenant, create: Create): Promise<string> {
  const { key } = await create('flags.create');
  await turnOn(tenant, { key });
  return key;
}
/** Accounts that are asked into a workspace. They are reused, since sign-ups per address are limited. */
const strangers = new Map<string, SignedUp>();
async function newOwnInvitation(tenant: Tenant): Promise<Needs> {
  const stranger = strangers.get(tenant.workspaceId) ?? (await signUp(tenant.base, unique('asked')));
  strangers.set(tenant.workspaceId, stranger);
  const member = { email: stranger.email, role: tenant.emptyRoleId };
  const { status, data } = await need(tenant.post(`${tenant.workspace}/members`, member));
  if (status === 202) return { params: { id: data.id }, cookie: stranger.cookie };
  // The account has accepted meanwhile.
  strangers.delete(tenant.workspaceId);
  return newOwnInvitation(tenant);
}

/** By collection and parameter: what reads may share, and how one is made where the example of the POST does not make it. */
export const resources: Readonly<Record<string, Resource>> = {
  'flags/{key}': { shared: ({ flagKey }) => flagKey },
  'latest-flags/{key}': { shared: ({ flagKey }) => flagKey },
  'latest-segments/{key}': { create: async (_, create) => (await create('segments.create')).key },
  'evaluate/{key}': { shared: ({ flagKey }) => flagKey },
  'features/{key}': { shared: ({ flagKey }) => flagKey },
  'roles/{id}': { shared: ({ emptyRoleId }) => emptyRoleId },
  // A label is no resource: any name has values, or none.
  'label/{name}': { shared: () => 'job' },
  'detected_field/{name}': { shared: () => 'job' },
  'tag/{name}': { shared: () => 'service.name' },
  'services/{name}': { create: ({ service }) => service },
  'services/{service}': { shared: ({ service }) => service },
  'traces/{trace_id}': { shared: ({ traceId }) => traceId },
  'alert-instances/{id}': { shared: ({ instanceId }) => instanceId },
  'oidc/{slug}': { shared: () => 'nobody' },
  'members/{id}': {
    shared: ({ colleague }) => colleague.memberId,
    create: async (tenant) => addMember(tenant, await signUp(tenant.base, unique('member')), tenant.emptyRoleId),
  },
  'invitations/{token}': {
    create: async (_, create) => /([\w-]{43})\/?$/.exec((await create('invitations.create')).url)?.[1] ?? '',
  },
  // A test notification to the example's would leave this machine.
  'channels/{id}': {
    create: async (tenant) => {
      const channel = { name: unique('channel'), kind: 'email', config: { to: [tenant.email] } };
      return (await need(tenant.post(`${tenant.workspace}/channels`, channel))).data.id;
    },
  },
  'dashboard-snapshots/{id}': { create: async (_, create) => (await create('dashboard_snapshots.create')).id },
  // Of an editor, so that the owner can approve it.
  'flag-changes/{id}': {
    create: async (tenant, create) => {
      const editor = await signUp(tenant.base, unique('editor'));
      const roles = await create('roles.list');
      await addMember(tenant, editor, roles.find((known: { key: string }) => known.key === 'editor').id);
      const path = `${tenant.project}/environments/production/flags/${(await create('flags.create')).key}/changes`;
      return (await need(editor.post(path, { patch: { enabled: true } }))).data.id;
    },
  },
};

/** What comes before a request of these routes, for the same resource: another route, or a function. The first match counts. */
export const steps: readonly (readonly [RegExp, Step])[] = [
  [/^(flags\.(set_targeting|replay|preview_compatibility)|ramps\.start|guarded_releases\.put)$/, turnOn],
  [/^flags\.previous_version$/, (tenant, params) => turnOn(tenant, params).then(() => turnOff(tenant, params))],
  [/^flags\.remove$/, archive],
  [/^ramps\.resume$/, 'ramps.pause'],
  [/^ramps\.(?!list$)/, 'ramps.start'],
  [/^guarded_releases\.disarm$/, 'guarded_releases.arm'],
  [/^guarded_releases\.(?!list$)/, 'guarded_releases.put'],
  [/^experiments\.apply_winner$/, 'experiments.stop'],
  [/^experiments\.(stop|begin_phase|results|novelty|interactions|timeseries)$/, 'experiments.start'],
  [/^dashboards\.rollback$/, 'dashboards.replace'],
];

/** By the route's id: what its request has besides the example, or in its place. */
export const own: Readonly<Record<string, (tenant: Tenant, create: Create) => Needs | Promise<Needs>>> = {
  'auth.login': ({ email }) => ({ body: { email, password: testPassword } }),
  // Without a trace, its answer is 404.
  'jaeger_otlp.search': ({ service }) => ({
    query: {
      'query.service_name': service,
      'query.start_time_min': new Date(Date.now() - 3_600_000).toISOString(),
      'query.start_time_max': new Date(Date.now() + 3_600_000).toISOString(),
    },
  }),
  'auth.logout': async (tenant) => ({ cookie: await newCookie(tenant) }),
  'auth.password': async (tenant) => ({
    cookie: await newCookie(tenant),
    body: { current_password: testPassword, new_password: `${testPassword}!` },
  }),
  'workspaces.remove': async (_, create) => {
    const { id, slug } = await create('workspaces.create');
    return { params: { ws: id }, query: { confirm: slug } };
  },
  'projects.remove': async (_, create) => {
    const { id, key } = await create('projects.create');
    return { params: { p: id }, query: { confirm: key } };
  },
  'environments.create': async (_, create) => ({ params: { p: (await create('projects.create')).id } }),
  'environments.remove': async (_, create) => {
    const { id } = await create('projects.create');
    return { params: { p: id, e: 'development' }, query: { confirm: 'development' } };
  },
  // Somebody who shares the workspace; anybody else must accept first, with a 202.
  'members.add': ({ colleague, emptyRoleId }) => ({ body: { email: colleague.email, role: emptyRoleId } }),
  'members.set_grants': async (tenant, create) => {
    const id = tenant.colleague.memberId;
    const { grants, version } = await create('members.get_grants', { id });
    // Always a change: what is there already is not written again.
    const others = grants.length > 0 ? [] : [{ project: tenant.projectId, role: tenant.emptyRoleId }];
    return { params: { id }, body: { grants: others, version } };
  },
  'invitations.create': ({ emptyRoleId }) => ({ body: { email: `${unique('guest')}@example.com`, role: emptyRoleId } }),
  'invitations.accept_own': newOwnInvitation,
  'invitations.decline_own': newOwnInvitation,
  // Also sent by a token, which can give only its own permissions.
  'tokens.create': () => ({ body: { name: unique('token'), permissions: ['tokens:write'] } }),
  'flags.set_prerequisites': ({ flagKey }) => ({ body: { prerequisites: [{ flag: flagKey, variants: ['true'] }] } }),
  'flags.batch': () => ({
    body: { writes: [{ ...exampleOf('flags.create'), write: 'create_flag', key: unique('f') }] },
  }),
  'flags.restore': async (tenant, create) => {
    const key = await newFlagThatIsOn(tenant, create);
    const [{ id }] = await create('flags.history', { key });
    await turnOff(tenant, { key });
    return { params: { key, id } };
  },
  'experiments.create': async (tenant, create) => {
    const flag = await newFlagThatIsOn(tenant, create);
    return { body: { ...exampleOf('experiments.create'), key: flag, flag } };
  },
  'experiments.replace': async (_, create) => {
    const { id, flag } = await create('experiments.create');
    return { params: { id }, body: { ...exampleOf('experiments.replace'), name: unique('experiment'), flag } };
  },
  'ofrep.events': async (tenant) => {
    const sdk = testClient(tenant.base, { bearer: await tenant.sdkKey() });
    const { json } = await need(sdk.post('/ofrep/v1/evaluate/flags', {}));
    const [, token = ''] = /token=(.*)$/.exec(json.eventStreams[0].endpoint.requestUri) ?? [];
    return { query: { token, seconds: '0' } };
  },
};
