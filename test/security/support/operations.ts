import { randomBytes } from 'node:crypto';
import { type AnyRoute, allRoutes as declared, routePath } from '@fanion/contract';
import { z } from 'zod';
import {
  addMember,
  cookiesOf,
  type SignedUp,
  signUp,
  testClient,
  testPassword,
} from '../../../packages/server/src/testing/test-client.ts';
import { need, type Tenant } from './world.ts';

/** Every declared route except those of ingest protocols, whose bodies are bytes and which have their own tests. */
export const allRoutes = declared.filter(({ auth }) => auth !== 'ingest');
export const ingestRoutes = declared.filter(({ auth }) => auth === 'ingest');

/** What a request needs besides its example; workspace, project and environment are filled in. */
export interface Needs {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Its own session, for operations that would end or change the tenant's. */
  readonly cookie?: string;
}

/** Prepares a request that succeeds for the owner of a tenant; called for each request that must succeed. */
type Prepare = (tenant: Tenant) => Needs | Promise<Needs>;

const unique = (prefix: string) => `${prefix}-${randomBytes(5).toString('hex')}`;

async function newProject(tenant: Tenant): Promise<{ id: string; key: string }> {
  return (await need(tenant.post(`${tenant.workspace}/projects`, { name: unique('project') }))).data;
}
async function newRole(tenant: Tenant): Promise<{ id: string }> {
  return (await need(tenant.post(`${tenant.workspace}/roles`, { name: unique('Role'), permissions: [] }))).data;
}
/** The error of the tenant's trace. */
async function anErrorGroup(tenant: Tenant): Promise<string> {
  const { data } = await need(tenant.get(`${tenant.workspace}/error-groups?project=default`));
  return data[0].id;
}
async function newMember(tenant: Tenant): Promise<{ id: string }> {
  const account = await signUp(tenant.base, unique('member'));
  return { id: await addMember(tenant, account, tenant.emptyRoleId) };
}
async function newInvitation(tenant: Tenant): Promise<{ id: string; token: string }> {
  const invitation = { email: `${unique('guest')}@example.com`, role: tenant.emptyRoleId };
  const { data } = await need(tenant.post(`${tenant.workspace}/invitations`, invitation));
  const token = /([\w-]{43})\/?$/.exec(data.url)?.[1];
  if (token === undefined) throw new Error(`no token in ${data.url}`);
  return { id: data.id, token };
}
/** By workspace: an account that is not a member. It is reused, since sign-ups per address are limited. */
const strangers = new Map<string, SignedUp>();

/** An invitation that waits for an account's acceptance, and the session of that account. */
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
async function newFlag(tenant: Tenant): Promise<string> {
  const key = unique('flag');
  await need(tenant.post(`${tenant.project}/flags`, { key, name: key, kind: 'boolean' }));
  return key;
}
const production = (tenant: Tenant, key: string) => `${tenant.project}/environments/production/flags/${key}`;
/** A flag that is on in production and serves `false` to everybody. */
async function newFlagThatIsOn(tenant: Tenant): Promise<string> {
  const key = await newFlag(tenant);
  const body = { enabled: true, off_variant: 'false', fallthrough: { variant: 'false' }, version: 0 };
  await need(tenant.put(production(tenant, key), body));
  return key;
}
async function newSegment(tenant: Tenant): Promise<string> {
  const key = unique('segment');
  await need(tenant.post(`${tenant.project}/segments`, { key, name: key }));
  return key;
}
async function newRamp(tenant: Tenant): Promise<string> {
  const key = await newFlagThatIsOn(tenant);
  await need(tenant.post(`${production(tenant, key)}/ramp`, { variant: 'true', steps: [{ weight: 1, hold: '1h' }] }));
  return key;
}
/** A change by an editor that waits for approval by somebody else. */
async function newChange(tenant: Tenant): Promise<string> {
  const key = await newFlag(tenant);
  const editor = await signUp(tenant.base, unique('editor'));
  const { data: roles } = await need(tenant.get(`${tenant.workspace}/roles`));
  const role = roles.find((known: { key: string }) => known.key === 'editor').id;
  await addMember(tenant, editor, role);
  const change = { patch: { enabled: true } };
  return (await need(editor.post(`${production(tenant, key)}/changes`, change))).data.id;
}
async function newAlertRule(tenant: Tenant): Promise<string> {
  const rule = { name: unique('rule'), query: 'spans | stats value=count()', condition: { op: '>=', threshold: 0 } };
  return (await need(tenant.post(`${tenant.workspace}/alert-rules`, { ...rule, project: tenant.projectId }))).data.id;
}
async function newChannel(tenant: Tenant): Promise<string> {
  const channel = { name: unique('channel'), kind: 'email', config: { to: [tenant.email] } };
  return (await need(tenant.post(`${tenant.workspace}/channels`, channel))).data.id;
}
async function newSlo(tenant: Tenant): Promise<string> {
  const slo = {
    name: unique('slo'),
    indicator: { kind: 'events', source: 'spans', good: 'status != error' },
    objective: 0.9,
    window: { kind: 'rolling', period: '7d' },
  };
  return (await need(tenant.post(`${tenant.workspace}/slos`, { ...slo, project: tenant.projectId }))).data.id;
}
async function newMetric(tenant: Tenant): Promise<string> {
  const metric = { key: unique('metric'), name: 'Metric', kind: 'conversion', source: 'logs', unit: 'user.id' };
  return (await need(tenant.post(`${tenant.project}/metrics`, metric))).data.id;
}
/** A guarded release that is a draft, of a flag that is on. */
async function newGuardedRelease(tenant: Tenant): Promise<string> {
  const key = await newFlagThatIsOn(tenant);
  const release = { variant: 'true', steps: [{ weight: 1, hold: '1h' }], guards: [{ metric: 'error_rate' }] };
  await need(tenant.put(`${production(tenant, key)}/guarded-release`, release));
  return key;
}
function experimentOf(flag: string) {
  const variants = ['false', 'true'].map((variant) => ({ variant, weight: 50_000 }));
  return { name: flag, flag, environment: 'production', control: 'false', variants };
}
async function newExperiment(tenant: Tenant): Promise<string> {
  const flag = await newFlagThatIsOn(tenant);
  return (await need(tenant.post(`${tenant.project}/experiments`, { key: flag, ...experimentOf(flag) }))).data.id;
}
async function newRunningExperiment(tenant: Tenant): Promise<string> {
  const id = await newExperiment(tenant);
  await need(tenant.post(`${tenant.project}/experiments/${id}/start`));
  return id;
}
/** Each writes a metric of its own. */
function recordingRule() {
  return { name: unique('metric'), query: 'spans | stats value=count()', every: '1h' };
}
async function newRecordingRule(tenant: Tenant): Promise<string> {
  const rule = { ...recordingRule(), project: tenant.projectId };
  return (await need(tenant.post(`${tenant.workspace}/recording-rules`, rule))).data.id;
}
async function newDashboard(tenant: Tenant): Promise<string> {
  const dashboard = { name: unique('dashboard'), panels: [] };
  return (await need(tenant.post(`${tenant.workspace}/dashboards`, dashboard))).data.id;
}

async function newSnapshot(tenant: Tenant): Promise<string> {
  const dashboard = await newDashboard(tenant);
  return (await need(tenant.post(`${tenant.workspace}/dashboards/${dashboard}/snapshots`, {}))).data.id;
}
async function newAnnotation(tenant: Tenant): Promise<string> {
  return (await need(tenant.post(`${tenant.workspace}/annotations`, { time: 'now', text: 'a test' }))).data.id;
}
async function newPolicy(tenant: Tenant): Promise<string> {
  const policy = { name: unique('policy'), matchers: ['team=none'] };
  return (await need(tenant.post(`${tenant.workspace}/routing-policies`, policy))).data.id;
}
async function newSilence(tenant: Tenant): Promise<string> {
  const silence = { matchers: [`team=${unique('none')}`], ends_at: 'now+1h', comment: 'a test' };
  return (await need(tenant.post(`${tenant.workspace}/silences`, silence))).data.id;
}
async function newInhibitionRule(tenant: Tenant): Promise<string> {
  const rule = { name: unique('rule'), source: ['team=none'], target: ['team=nobody'] };
  return (await need(tenant.post(`${tenant.workspace}/inhibition-rules`, rule))).data.id;
}
async function newCookie({ base }: Tenant): Promise<string> {
  return (await signUp(base, unique('account'))).cookie;
}

/**
 * By the route's id. A declared route with needs must be listed here: `operations` below reports missing ones, and
 * every security test fails until they are added.
 */
const needs: Readonly<Record<string, Prepare>> = {
  'auth.signup': () => ({
    body: { email: `${unique('new')}@example.com`, password: testPassword, name: 'New', workspace_name: 'New' },
  }),
  'auth.login': (tenant) => ({ body: { email: tenant.email, password: testPassword } }),
  'auth.logout': async (tenant) => ({ cookie: await newCookie(tenant) }),
  'auth.password': async (tenant) => ({
    cookie: await newCookie(tenant),
    body: { current_password: testPassword, new_password: `${testPassword}!` },
  }),
  'auth.oidc_start': () => ({ params: { slug: 'nobody' } }),
  'auth.oidc_callback': () => ({ params: { slug: 'nobody' } }),
  'workspaces.remove': async (tenant) => {
    const { data } = await need(tenant.post('/api/v1/workspaces', { name: unique('workspace') }));
    return { params: { ws: data.id }, query: { confirm: data.slug } };
  },
  // Somebody who shares the workspace; anybody else must accept first, with a 202.
  'members.add': (tenant) => ({ body: { email: tenant.colleague.email, role: tenant.emptyRoleId } }),
  'members.remove': async (tenant) => ({ params: { id: (await newMember(tenant)).id } }),
  'members.get_grants': (tenant) => ({ params: { id: tenant.colleague.memberId } }),
  'members.set_grants': async (tenant) => {
    const id = tenant.colleague.memberId;
    const { grants, version } = (await need(tenant.get(`${tenant.workspace}/members/${id}/grants`))).data;
    // Always a change: what is there already is not written again.
    const others = grants.length > 0 ? [] : [{ project: tenant.projectId, role: tenant.emptyRoleId }];
    return { params: { id }, body: { grants: others, version } };
  },
  'invitations.create': (tenant) => ({ body: { email: `${unique('guest')}@example.com`, role: tenant.emptyRoleId } }),
  'invitations.remove': async (tenant) => ({ params: { id: (await newInvitation(tenant)).id } }),
  'invitations.get': async (tenant) => ({ params: { token: (await newInvitation(tenant)).token } }),
  'invitations.accept': async (tenant) => ({
    params: { token: (await newInvitation(tenant)).token },
    body: { name: 'Guest', password: testPassword },
  }),
  'invitations.accept_own': newOwnInvitation,
  'invitations.decline_own': newOwnInvitation,
  'roles.get': (tenant) => ({ params: { id: tenant.emptyRoleId } }),
  // Always a change: what is there already is not written again.
  'roles.update': (tenant) => ({ params: { id: tenant.emptyRoleId }, body: { description: unique('described') } }),
  'workspaces.update': () => ({ body: { name: unique('workspace') } }),
  'projects.update': () => ({ body: { name: unique('project') } }),
  'environments.update': () => ({ body: { name: unique('environment') } }),
  'roles.remove': async (tenant) => ({ params: { id: (await newRole(tenant)).id } }),
  'projects.remove': async (tenant) => {
    const project = await newProject(tenant);
    return { params: { p: project.id }, query: { confirm: project.key } };
  },
  'environments.create': async (tenant) => ({
    params: { p: (await newProject(tenant)).id },
    body: { key: unique('environment'), name: 'Another' },
  }),
  'environments.remove': async (tenant) => ({
    params: { p: (await newProject(tenant)).id, e: 'development' },
    query: { confirm: 'development' },
  }),
  // Also sent by a token, which can give only its own permissions.
  'tokens.create': () => ({ body: { name: unique('token'), permissions: ['tokens:write'] } }),
  'tokens.remove': async (tenant) => {
    const token = { name: unique('token'), permissions: ['telemetry:query'] };
    const { data } = await need(tenant.post(`/api/v1/tokens?workspace=${tenant.workspaceId}`, token));
    return { params: { id: data.id } };
  },
  'services.get': (tenant) => ({ params: { name: tenant.service } }),
  'services.update': (tenant) => ({ params: { name: tenant.service }, body: { owner: unique('owner') } }),
  'saved_queries.remove': async (tenant) => {
    const saved = { name: unique('query'), query: 'spans | limit 1' };
    return { params: { id: (await need(tenant.post(`${tenant.workspace}/saved-queries`, saved))).data.id } };
  },
  'dashboards.get': async (tenant) => ({ params: { id: await newDashboard(tenant) } }),
  'dashboards.replace': async (tenant) => ({ params: { id: await newDashboard(tenant) } }),
  'dashboards.remove': async (tenant) => ({ params: { id: await newDashboard(tenant) } }),
  'dashboards.versions': async (tenant) => ({ params: { id: await newDashboard(tenant) } }),
  'dashboards.version': async (tenant) => ({ params: { id: await newDashboard(tenant), version: '1' } }),
  'dashboards.rollback': async (tenant) => {
    const id = await newDashboard(tenant);
    await need(tenant.put(`${tenant.workspace}/dashboards/${id}`, { name: 'Changed', panels: [], version: 1 }));
    return { params: { id, version: '1' } };
  },
  'dashboards.data': async (tenant) => ({ params: { id: await newDashboard(tenant) } }),
  'dashboard_snapshots.create': async (tenant) => ({ params: { id: await newDashboard(tenant) } }),
  'dashboard_snapshots.get': async (tenant) => ({ params: { id: await newSnapshot(tenant) } }),
  'dashboard_snapshots.data': async (tenant) => ({ params: { id: await newSnapshot(tenant) } }),
  'dashboard_snapshots.remove': async (tenant) => ({ params: { id: await newSnapshot(tenant) } }),
  'annotations.remove': async (tenant) => ({ params: { id: await newAnnotation(tenant) } }),
  'alert_rules.get': async (tenant) => ({ params: { id: await newAlertRule(tenant) } }),
  'alert_rules.update': async (tenant) => ({ params: { id: await newAlertRule(tenant) } }),
  'alert_rules.remove': async (tenant) => ({ params: { id: await newAlertRule(tenant) } }),
  'alert_instances.get': async (tenant) => ({ params: { id: await tenant.instanceId } }),
  'alert_instances.explain': async (tenant) => ({ params: { id: await tenant.instanceId } }),
  'channels.get': async (tenant) => ({ params: { id: await newChannel(tenant) } }),
  'channels.update': async (tenant) => ({ params: { id: await newChannel(tenant) } }),
  'channels.remove': async (tenant) => ({ params: { id: await newChannel(tenant) } }),
  'channels.test': async (tenant) => ({ params: { id: await newChannel(tenant) } }),
  'silences.remove': async (tenant) => ({ params: { id: await newSilence(tenant) } }),
  'inhibition_rules.get': async (tenant) => ({ params: { id: await newInhibitionRule(tenant) } }),
  'inhibition_rules.update': async (tenant) => ({ params: { id: await newInhibitionRule(tenant) } }),
  'inhibition_rules.remove': async (tenant) => ({ params: { id: await newInhibitionRule(tenant) } }),
  'routing_policies.get': async (tenant) => ({ params: { id: await newPolicy(tenant) } }),
  'routing_policies.update': async (tenant) => ({ params: { id: await newPolicy(tenant) } }),
  'routing_policies.remove': async (tenant) => ({ params: { id: await newPolicy(tenant) } }),
  'slos.get': async (tenant) => ({ params: { id: await newSlo(tenant) } }),
  'slos.replace': async (tenant) => ({ params: { id: await newSlo(tenant) } }),
  'slos.remove': async (tenant) => ({ params: { id: await newSlo(tenant) } }),
  'slos.export': async (tenant) => ({ params: { id: await newSlo(tenant) } }),
  'slos.status': async (tenant) => ({ params: { id: await newSlo(tenant) } }),
  'slos.timeseries': async (tenant) => ({ params: { id: await newSlo(tenant) } }),
  'recording_rules.get': async (tenant) => ({ params: { id: await newRecordingRule(tenant) } }),
  'recording_rules.replace': async (tenant) => ({
    params: { id: await newRecordingRule(tenant) },
    body: { ...recordingRule(), version: 1 },
  }),
  'recording_rules.remove': async (tenant) => ({ params: { id: await newRecordingRule(tenant) } }),
  'error_groups.list': () => ({ query: { project: 'default' } }),
  'error_groups.get': async (tenant) => ({ params: { id: await anErrorGroup(tenant) }, query: { project: 'default' } }),
  'error_groups.explain': async (tenant) => ({
    params: { id: await anErrorGroup(tenant) },
    query: { project: 'default' },
  }),
  'error_groups.set_state': async (tenant) => ({ params: { id: await anErrorGroup(tenant) } }),
  'traces.get': (tenant) => ({ params: { trace_id: tenant.traceId } }),
  'flags.get': (tenant) => ({ params: { key: tenant.flagKey } }),
  'flags.get_targeting': (tenant) => ({ params: { key: tenant.flagKey } }),
  'flags.set_targeting': async (tenant) => {
    const key = await newFlag(tenant);
    const { data } = await need(tenant.get(`${tenant.project}/environments/production/flags/${key}`));
    const { off_variant, fallthrough, version } = data;
    return { params: { key }, body: { enabled: true, off_variant, fallthrough, version } };
  },
  'flags.update': async (tenant) => ({ params: { key: await newFlag(tenant) } }),
  'flags.remove': async (tenant) => {
    const key = await newFlag(tenant);
    await need(tenant.patch(`${tenant.project}/flags/${key}`, { archived: true }));
    return { params: { key } };
  },
  'flags.promote': async (tenant) => ({ params: { key: await newFlag(tenant) } }),
  'flags.get_prerequisites': (tenant) => ({ params: { key: tenant.flagKey } }),
  'flags.set_prerequisites': async (tenant) => ({
    params: { key: await newFlag(tenant) },
    body: { prerequisites: [{ flag: tenant.flagKey, variants: ['true'] }] },
  }),
  'flags.list_deferred_changes': (tenant) => ({ params: { key: tenant.flagKey } }),
  'flags.defer_change': async (tenant) => ({ params: { key: await newFlag(tenant) } }),
  'flags.history': (tenant) => ({ params: { key: tenant.flagKey } }),
  'flags.history_version': async (tenant) => {
    const { data } = await need(tenant.get(`${tenant.project}/flags/${tenant.flagKey}/changes`));
    return { params: { key: tenant.flagKey, id: data[0].id } };
  },
  'flags.previous_version': async (tenant) => {
    const key = await newFlagThatIsOn(tenant);
    const off = { enabled: false, off_variant: 'false', fallthrough: { variant: 'false' }, version: 1 };
    await need(tenant.put(production(tenant, key), off));
    return { params: { key } };
  },
  'flags.restore': async (tenant) => {
    const key = await newFlagThatIsOn(tenant);
    const { data } = await need(tenant.get(`${tenant.project}/flags/${key}/changes`));
    const off = { enabled: false, off_variant: 'false', fallthrough: { variant: 'false' }, version: 1 };
    await need(tenant.put(production(tenant, key), off));
    return { params: { key, id: data[0].id } };
  },
  'flags.evaluate': (tenant) => ({ params: { key: tenant.flagKey } }),
  'flag_changes.approve': async (tenant) => ({ params: { id: await newChange(tenant) } }),
  'flag_changes.reject': async (tenant) => ({ params: { id: await newChange(tenant) } }),
  'flag_changes.cancel': async (tenant) => ({ params: { id: await newChange(tenant) } }),
  'flags.batch': () => ({
    body: { writes: [{ write: 'create_flag', key: unique('flag'), name: 'Flag', kind: 'boolean' }] },
  }),
  'segments.get': async (tenant) => ({ params: { skey: await newSegment(tenant) } }),
  'segments.update': async (tenant) => ({ params: { skey: await newSegment(tenant) } }),
  'segments.remove': async (tenant) => ({ params: { skey: await newSegment(tenant) } }),
  'ramps.get': async (tenant) => ({ params: { key: await newRamp(tenant) } }),
  'ramps.start': async (tenant) => ({ params: { key: await newFlagThatIsOn(tenant) } }),
  'ramps.pause': async (tenant) => ({ params: { key: await newRamp(tenant) } }),
  'ramps.resume': async (tenant) => {
    const key = await newRamp(tenant);
    await need(tenant.post(`${production(tenant, key)}/ramp/pause`));
    return { params: { key } };
  },
  'ramps.abort': async (tenant) => ({ params: { key: await newRamp(tenant) } }),
  'metrics.get': async (tenant) => ({ params: { id: await newMetric(tenant) } }),
  'metrics.replace': async (tenant) => ({ params: { id: await newMetric(tenant) } }),
  'metrics.remove': async (tenant) => ({ params: { id: await newMetric(tenant) } }),
  'metrics.explain': async (tenant) => ({ params: { id: await newMetric(tenant) } }),
  'metrics.explain_by_post': async (tenant) => ({ params: { id: await newMetric(tenant) } }),
  'flags.replay': async (tenant) => ({ params: { key: await newFlagThatIsOn(tenant) } }),
  'rollout.get': (tenant) => ({ params: { key: tenant.flagKey } }),
  'guarded_releases.get': async (tenant) => ({ params: { key: await newGuardedRelease(tenant) } }),
  'guarded_releases.put': async (tenant) => ({ params: { key: await newFlagThatIsOn(tenant) } }),
  'guarded_releases.remove': async (tenant) => ({ params: { key: await newGuardedRelease(tenant) } }),
  'guarded_releases.arm': async (tenant) => ({ params: { key: await newGuardedRelease(tenant) } }),
  'guarded_releases.disarm': async (tenant) => {
    const key = await newGuardedRelease(tenant);
    await need(tenant.post(`${production(tenant, key)}/guarded-release/arm`));
    return { params: { key } };
  },
  'guarded_releases.backtest': async (tenant) => ({ params: { key: await newGuardedRelease(tenant) } }),
  'guarded_releases.events': async (tenant) => ({ params: { key: await newGuardedRelease(tenant) } }),
  'experiments.create': async (tenant) => {
    const flag = await newFlagThatIsOn(tenant);
    return { body: { key: flag, ...experimentOf(flag) } };
  },
  'experiments.get': async (tenant) => ({ params: { id: await newExperiment(tenant) } }),
  'experiments.replace': async (tenant) => {
    const id = await newExperiment(tenant);
    const { data } = await need(tenant.get(`${tenant.project}/experiments/${id}`));
    return { params: { id }, body: { ...experimentOf(data.flag), name: unique('experiment'), version: data.version } };
  },
  'experiments.remove': async (tenant) => ({ params: { id: await newExperiment(tenant) } }),
  'experiments.start': async (tenant) => ({ params: { id: await newExperiment(tenant) } }),
  'experiments.stop': async (tenant) => ({ params: { id: await newRunningExperiment(tenant) } }),
  'experiments.archive': async (tenant) => ({ params: { id: await newExperiment(tenant) } }),
  'experiments.apply_winner': async (tenant) => {
    const id = await newRunningExperiment(tenant);
    await need(tenant.post(`${tenant.project}/experiments/${id}/stop`));
    return { params: { id } };
  },
  'experiments.metrics': async (tenant) => ({ params: { id: await newExperiment(tenant) } }),
  'experiments.replace_metrics': async (tenant) => ({ params: { id: await newExperiment(tenant) } }),
  'experiments.results': async (tenant) => ({ params: { id: await newRunningExperiment(tenant) } }),
  'experiments.replay': async (tenant) => ({ params: { id: await newExperiment(tenant) } }),
  'experiments.begin_phase': async (tenant) => ({ params: { id: await newRunningExperiment(tenant) } }),
  'experiments.novelty': async (tenant) => {
    const flag = await newFlagThatIsOn(tenant);
    const experiment = { key: flag, ...experimentOf(flag), metrics: { goals: ['error_rate'] } };
    const { data } = await need(tenant.post(`${tenant.project}/experiments`, experiment));
    await need(tenant.post(`${tenant.project}/experiments/${data.id}/start`));
    return { params: { id: data.id } };
  },
  'experiments.interactions': async (tenant) => ({ params: { id: await newRunningExperiment(tenant) } }),
  'experiments.timeseries': async (tenant) => ({ params: { id: await newRunningExperiment(tenant) } }),
  'ofrep.events': async (tenant) => {
    const sdk = testClient(tenant.base, { bearer: await tenant.sdkKey() });
    const { json } = await need(sdk.post('/ofrep/v1/evaluate/flags', {}));
    const [, token = ''] = /token=(.*)$/.exec(json.eventStreams[0].endpoint.requestUri) ?? [];
    return { query: { token, seconds: '0' } };
  },
  'sdk.evaluate': (tenant) => ({ params: { key: tenant.flagKey } }),
  'ofrep.evaluate': (tenant) => ({ params: { key: tenant.flagKey } }),
};

/** Names of the parameters in a route's path. */
export function parametersOf(route: AnyRoute): string[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].flatMap((match) => match[1] ?? []);
}

const filledIn = new Set(['ws', 'p', 'e']);

function hasNeeds(route: AnyRoute): boolean {
  return (
    parametersOf(route).some((name) => !filledIn.has(name)) ||
    (route.example?.body === undefined && !route.body.safeParse(undefined).success) ||
    (route.query instanceof z.ZodObject && 'confirm' in route.query.shape)
  );
}

const missing = allRoutes.filter((route) => hasNeeds(route) && needs[route.id] === undefined).map(({ id }) => id);
const stale = Object.keys(needs).filter((id) => !allRoutes.some((route) => route.id === id));
if (missing.length > 0 || stale.length > 0)
  throw new Error(
    `test/security/support/operations.ts: say in \`needs\` what these new routes need: ${missing.join(', ') || 'none'}; these are declared no more: ${stale.join(', ') || 'none'}`,
  );

/** A request, ready to be sent with any credential. */
export interface Operation {
  readonly route: AnyRoute;
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly cookie: string | undefined;
}

/** The example's body with a unique name and key, so that it can be sent repeatedly. */
function ownOf({ example, method, reads }: AnyRoute): unknown {
  const body = example?.body;
  if (typeof body !== 'object' || body === null || method !== 'POST' || reads) return body;
  const own = (name: string, value: unknown) => (name === 'key' || name === 'name' ? unique(String(value)) : value);
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, own(name, value)]));
}

/** The request that succeeds for the tenant's owner. */
export async function prepare(route: AnyRoute, tenant: Tenant): Promise<Operation> {
  const own = (await needs[route.id]?.(tenant)) ?? {};
  return {
    route,
    method: route.method,
    params: { ws: tenant.workspaceId, p: tenant.projectId, e: 'production', ...own.params },
    query: { ...(route.callerWorkspace && { workspace: tenant.workspaceId }), ...route.example?.query, ...own.query },
    body: 'body' in own ? own.body : ownOf(route),
    cookie: own.cookie,
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
  const client = testClient(base, credential);
  return client.send(operation.method, pathOf(operation), operation.body, headers);
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
