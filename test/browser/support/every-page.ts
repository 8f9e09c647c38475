import { expect } from 'vitest';
import { type SignedUp, testClient, until } from '../../../packages/server/src/testing/test-client.ts';
import { flagsOf } from '../../flags/support.ts';
import { PATIENCE_MS } from './chromium.ts';
import { sendMetrics } from './metrics.ts';
import { sendProfiles } from './profiles.ts';
import { sendShop } from './telemetry.ts';

export interface VisitedPage {
  readonly path: string;
  /** Shows that the page has loaded. */
  readonly ready: string | RegExp;
  readonly signedOut?: boolean;
  /** How many tab stops it may have, where its content needs more than the limit: forms, and pages of several panels. */
  readonly stops?: number;
}

const query = encodeURIComponent('spans | stats n=count(), p99=p99(duration) by service.name, bucket(1m)');

/** Paths are within the project, with ids of `seedEveryPage` in braces; `signedOut` ones are complete. */
export const PAGES: Readonly<Record<string, VisitedPage>> = {
  'sign-in': { path: '/sign-in', ready: 'Create an account', signedOut: true },
  'sign-up': { path: '/sign-up', ready: 'Have an account?', signedOut: true },
  'first-steps': { path: '/first-steps', ready: 'Data has arrived', stops: 23 },
  home: { path: '/home', ready: 'Services, worst first', stops: 19 },
  services: { path: '/services', ready: 'payments', stops: 13 },
  service: { path: '/services/payments', ready: 'POST /charge', stops: 19 },
  dashboards: { path: '/dashboards', ready: 'Shop overview' },
  dashboard: { path: '/dashboards/{dashboard}', ready: 'frontend' },
  'dashboard-edit': { path: '/dashboards/{dashboard}?edit=yes', ready: 'Done', stops: 19 },
  'dashboard-library': { path: '/dashboards/library/services', ready: 'payments', stops: 30 },
  snapshot: { path: '/dashboards/snapshots/{snapshot}', ready: 'frontend' },
  explore: { path: '/explore', ready: 'Slow spans', stops: 13 },
  'explore-chart': { path: `/explore?q=${query}`, ready: 'frontend', stops: 27 },
  'explore-table': { path: `/explore?q=${query}&view=table`, ready: 'frontend', stops: 22 },
  logs: { path: '/logs', ready: /card declined for order/, stops: 18 },
  traces: { path: '/traces', ready: 'POST /checkout', stops: 15 },
  trace: { path: '/traces/{trace}', ready: 'POST /charge', stops: 30 },
  span: { path: '/traces/{trace}?span={span}', ready: 'note', stops: 30 },
  errors: { path: '/errors', ready: 'card <b>declined</b>' },
  error: { path: '/errors?error={error}', ready: 'Latest occurrences', stops: 20 },
  'log-patterns': { path: '/logs?view=patterns', ready: /card declined for order/, stops: 13 },
  'log-tail': { path: '/logs?view=live', ready: 'Waiting for lines' },
  'traces-heat': { path: '/traces?view=heat&box=errors', ready: /What distinguishes failing/, stops: 13 },
  'service-map': { path: '/service-map', ready: /5% and more/ },
  metrics: { path: '/metrics', ready: 'http.server.request.duration' },
  metric: { path: '/metrics?metric=orders', ready: 'Open in Explore', stops: 23 },
  profiles: { path: '/profiles', ready: 'render', stops: 14 },
  'profile-function': { path: '/profiles?view=sandwich&fn=serve', ready: /^total / },
  usage: { path: '/usage', ready: 'By signal' },
  operations: {
    path: '/operations',
    ready: /The state of the server is shown in the workspace of its operators|Servers/,
  },
  alerts: { path: '/alerts', ready: 'Checkout fails' },
  alert: { path: '/alerts/{alert}', ready: 'Example traces' },
  'alert-rule': { path: '/alerts/rules/{rule}', ready: 'Keep firing for', stops: 34 },
  'alert-rule-new': { path: '/alerts/rules/new', ready: 'Keep firing for', stops: 30 },
  silences: { path: '/silences', ready: 'Known outage' },
  'silence-new': { path: '/silences/new', ready: 'What it matches now', stops: 20 },
  routing: { path: '/routing?labels=team%3Dshop', ready: 'goes here', stops: 13 },
  channels: { path: '/channels', ready: 'On call' },
  slos: { path: '/slos', ready: 'Payments answer' },
  slo: { path: '/slos/{slo}', ready: 'Burn rates now' },
  'slo-edit': { path: '/slos/{slo}/edit', ready: 'Good events meet', stops: 18 },
  'recording-rules': { path: '/recording-rules', ready: 'shop.requests' },
  'recording-rule': { path: '/recording-rules/{recording}', ready: /in the step from/, stops: 21 },
  'recording-rule-new': { path: '/recording-rules/new', ready: 'Write a query to see what a step writes.', stops: 17 },
  'slo-new': { path: '/slos/new', ready: /Allows 43m 12s/, stops: 20 },
  flags: { path: '/flags', ready: 'new-checkout' },
  releases: { path: '/releases', ready: 'Running and planned' },
  timeline: { path: '/timeline', ready: 'new-checkout: targeting changed' },
  experiments: { path: '/experiments', ready: 'Faster checkout' },
  'experiment-new': {
    path: '/experiments/new?flag=new-checkout',
    ready: /share of the units that take part/,
    stops: 27,
  },
  'experiment-edit': { path: '/experiments/{draft}/edit', ready: 'How it is judged', stops: 26 },
  'flag-metrics': { path: '/flag-metrics', ready: 'p95 latency' },
  'flag-metric': { path: '/flag-metrics/error_rate', ready: 'Which rows count' },
  'flag-metric-new': { path: '/flag-metrics/new', ready: 'Fill in the form to see which rows count.', stops: 17 },
  experiment: { path: '/experiments/{experiment}', ready: 'Health', stops: 19 },
  segments: { path: '/segments', ready: 'Beta testers' },
  segment: { path: '/segments/beta-testers', ready: 'Used by', stops: 16 },
  'segment-new': { path: '/segments/new', ready: 'Create segment' },
  changes: { path: '/changes', ready: 'No change requests waiting for approval' },
  flag: { path: '/flags/new-checkout', ready: 'Everybody else', stops: 20 },
  'flag-release': { path: '/flags/banner?env=production', ready: /by a guarded release/, stops: 20 },
  'flag-guarded': { path: '/flags/banner?env=production&tab=guarded', ready: /measured against/, stops: 13 },
  'flag-rollout': { path: '/flags/banner?env=production&tab=rollout', ready: 'Evaluations', stops: 18 },
  'flag-history': { path: '/flags/new-checkout?env=production&tab=history', ready: 'Restore', stops: 13 },
  'flag-prerequisites': { path: '/flags/new-checkout?env=production&tab=prerequisites', ready: /prerequisite/ },
  'flag-new': { path: '/flags/new', ready: 'Temporary', stops: 20 },
  members: { path: '/settings/members', ready: /^margaret-.*@example.com$/ },
  roles: { path: '/settings/roles', ready: 'Viewer' },
  tokens: { path: '/settings/tokens', ready: 'telemetry:ingest' },
  'sdk-keys': { path: '/settings/sdk-keys', ready: 'default / production' },
  environments: { path: '/settings/environments', ready: 'development' },
  projects: { path: '/settings/projects', ready: 'Create project' },
  workspace: { path: '/settings/workspace', ready: 'Delete workspace' },
  audit: { path: '/settings/audit', ready: 'flags.create' },
  profile: { path: '/settings/profile', ready: 'System', stops: 13 },
  'not-found': { path: '/nowhere', ready: 'This page does not exist' },
};

type Ids = Readonly<Record<string, string>>;

/** Creates something for every page to show, and resolves with the ids in the paths of `PAGES`. */
export async function seedEveryPage(user: SignedUp): Promise<Ids> {
  const { traceId } = await sendShop(user);
  await Promise.all([sendMetrics(user, traceId), sendProfiles(user), user.sdkKey()]);
  const alerting = await seedAlerting(user);
  const flags = await seedFlags(user);
  const dashboards = await seedDashboards(user);
  const { spans } = (await user.get(`${user.workspace}/traces/${traceId}`)).data;
  const [error] = (await user.get(`${user.workspace}/error-groups?project=default`)).data;
  return { trace: traceId, span: spans[2].span_id, error: error.id, ...alerting, ...flags, ...dashboards };
}

async function create(user: SignedUp, path: string, body: object): Promise<string> {
  const answer = await user.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.data.id;
}

async function seedAlerting(user: SignedUp): Promise<Ids> {
  const { workspace } = user;
  const matchers = [{ name: 'team', op: '=', value: 'shop' }];
  await create(user, `${workspace}/channels`, {
    name: 'On call',
    kind: 'email',
    config: { to: ['oncall@example.com'] },
  });
  await create(user, `${workspace}/silences`, { matchers, ends_at: 'now+1d', comment: 'Known outage' });
  await create(user, `${workspace}/routing-policies`, { name: 'Shop', matchers });
  const rule = await create(user, `${workspace}/alert-rules`, {
    name: 'Checkout fails',
    project: 'default',
    query: 'spans | stats value=ratio(status == error) by service.name',
    condition: { op: '>', threshold: 0.5 },
    window: '1h',
    every: '10s',
    offset: '0s',
  });
  const slo = await create(user, `${workspace}/slos`, {
    name: 'Payments answer',
    project: 'default',
    indicator: { kind: 'events', source: 'spans | where service.name == "payments"', good: 'status != error' },
    objective: 0.99,
    window: { kind: 'rolling', period: '7d' },
  });
  const recording = await create(user, `${workspace}/recording-rules`, {
    name: 'shop.requests',
    project: 'default',
    query: 'spans | stats value=count() by service.name',
    every: '1d',
  });
  const alert = await until(
    async () => (await user.get(`${workspace}/alert-instances?state=firing&rule=${rule}`)).data[0]?.id,
    2 * PATIENCE_MS,
  );
  return { rule, slo, recording, alert };
}

/** A segment, a flag with a running experiment, and one with a guarded release. */
async function seedFlags(user: SignedUp): Promise<Ids> {
  const { project } = user;
  const flags = flagsOf(user);
  await create(user, `${project}/segments`, { key: 'beta-testers', name: 'Beta testers', included: ['ada', 'bob'] });
  await flags.create('new-checkout', { kind: 'boolean', tags: ['checkout'] });
  await flags.create('banner');
  for (const key of ['new-checkout', 'banner'])
    await flags.serve(key, { off_variant: 'false', fallthrough: { variant: 'false' } });
  const compared = {
    flag: 'new-checkout',
    control: 'false',
    variants: ['false', 'true'].map((variant) => ({ variant, weight: 50_000 })),
    metrics: { goals: ['error_rate'] },
  };
  const faster = { ...compared, key: 'faster', name: 'Faster checkout', environment: 'production' };
  const experiment = await create(user, `${project}/experiments`, faster);
  const next = { ...compared, key: 'next', name: 'Next checkout', environment: 'development' };
  const draft = await create(user, `${project}/experiments`, next);
  expect((await user.post(`${project}/experiments/${experiment}/start`)).status).toBe(200);
  const release = { variant: 'true', steps: [{ weight: 10_000, hold: '1h' }], guards: [{ metric: 'error_rate' }] };
  expect((await user.put(`${flags.path('banner')}/guarded-release`, release)).status).toBe(200);
  expect((await user.post(`${flags.path('banner')}/guarded-release/arm`)).status).toBe(200);
  const sdk = testClient(user.base, { bearer: await user.sdkKey() });
  for (const key of ['new-checkout', 'banner'])
    for (const targetingKey of ['ada', 'bob', 'carl'])
      await sdk.post(`/ofrep/v1/evaluate/flags/${key}`, { context: { targetingKey } });
  return { experiment, draft };
}

async function seedDashboards(user: SignedUp): Promise<Ids> {
  const panel = { id: 'a', type: 'time_series', title: 'Requests', x: 0, y: 0, w: 12, h: 8 };
  const dashboard = await create(user, `${user.workspace}/dashboards`, {
    name: 'Shop overview',
    project: 'default',
    panels: [{ ...panel, query: 'spans | stats n=count() by service.name, bucket(1m)' }],
  });
  const snapshot = await create(user, `${user.workspace}/dashboards/${dashboard}/snapshots`, {});
  return { dashboard, snapshot };
}
