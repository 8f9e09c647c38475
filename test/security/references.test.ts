import { randomUUID } from 'node:crypto';
import { type AnyRoute, routePath } from '@fanion/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { testClient } from '../../packages/server/src/testing/test-client.ts';
import { servedDocument } from './support/document.ts';
import { allRoutes, type Operation, prepare, redirected, sendAsOwner } from './support/operations.ts';
import { faultsOf, type Outcome, placesOf } from './support/references.ts';
import { need, startWorld, type Tenant, type World } from './support/world.ts';

/** What a body or a query can name, other than the parameters of its path. */
type Kind =
  | 'project'
  | 'environment'
  | 'role'
  | 'channel'
  | 'policy'
  | 'rule'
  | 'recording_rule'
  | 'slo'
  | 'dashboard'
  | 'metric'
  | 'experiment'
  | 'flag'
  | 'segment';
type Change = Partial<Pick<Operation, 'query' | 'body'>>;

/** A place of a request that names something, and the request with another name there. */
interface Reference {
  readonly place: string;
  readonly kind: Kind;
  readonly naming: (name: string, own: Operation) => Change;
}

const bodyOf = ({ body }: Operation) => (body ?? {}) as Record<string, unknown>;
function inBody(place: string, kind: Kind, more: (name: string) => Record<string, unknown>): Reference {
  return { place: `body ${place}`, kind, naming: (name, own) => ({ body: { ...bodyOf(own), ...more(name) } }) };
}
function inQuery(name: string, kind: Kind, more: Record<string, string> = {}): Reference {
  return { place: `query ${name}`, kind, naming: (value) => ({ query: { ...more, [name]: value } }) };
}

const scopeInQuery = [inQuery('project', 'project'), inQuery('environment', 'environment', { project: 'default' })];
const scopeInBody = [
  inBody('project', 'project', (project) => ({ project })),
  inBody('environment', 'environment', (environment) => ({ project: 'default', environment })),
];
/** A dashboard is saved with panels that name nothing, which another request may create; its answer warns of SLOs and experiments. */
const panel = { id: 'p', title: 'Panel', x: 0, y: 0, w: 6, h: 4 };
const ofPanels = [
  inBody('panels[].slo', 'slo', (slo) => ({ panels: [{ ...panel, type: 'slo', slo }] })),
  inBody('panels[].experiment', 'experiment', (experiment) => ({
    panels: [{ ...panel, type: 'experiment', experiment }],
  })),
  inBody('panels[].flag.project', 'project', (project) => ({
    panels: [{ ...panel, type: 'flag_rollout', flag: { project, environment: 'production', key: 'flag-of-eve' } }],
  })),
  inBody('panels[].split.flag', 'flag', (flag) => ({
    panels: [{ ...panel, type: 'time_series', query: 'spans | stats n=count() by bucket(1m)', split: { flag } }],
  })),
];
const explained = [
  inBody('flag', 'flag', (flag) => ({ flag })),
  inBody('environment', 'environment', (environment) => ({ environment })),
];
const ofExperiment = [
  inBody('flag', 'flag', (flag) => ({ flag })),
  inBody('environment', 'environment', (environment) => ({ environment })),
  inBody('metrics.goals[]', 'metric', (metric) => ({ metrics: { goals: [metric] } })),
  inBody('metrics.secondary[]', 'metric', (metric) => ({ metrics: { goals: ['error_rate'], secondary: [metric] } })),
  inBody('metrics.guardrails[]', 'metric', (metric) => ({ metrics: { goals: ['error_rate'], guardrails: [metric] } })),
];
const filtersOfChanges = [inQuery('flag', 'flag'), inQuery('environment', 'environment')];

/** By the id of a route: every place that names something of a workspace. */
const references: Readonly<Record<string, readonly Reference[]>> = {
  'members.add': [inBody('role', 'role', (role) => ({ role }))],
  'members.set_grants': [
    inBody('grants[].project', 'project', (project) => ({ grants: [{ project, role: 'viewer' }] })),
    inBody('grants[].environment', 'environment', (environment) => ({
      grants: [{ project: 'default', environment, role: 'viewer' }],
    })),
    inBody('grants[].role', 'role', (role) => ({ grants: [{ project: 'default', role }] })),
  ],
  'invitations.create': [inBody('role', 'role', (role) => ({ role }))],
  'flag_keys.create': [inBody('environment', 'environment', (environment) => ({ environment }))],
  'tokens.create': scopeInBody,
  'services.list': scopeInQuery,
  'traces.get': scopeInQuery,
  'fields.list': scopeInQuery,
  'exemplars.list': scopeInQuery,
  'log_patterns.list': scopeInQuery,
  'log_patterns.shapes': scopeInQuery,
  'error_groups.list': [...scopeInQuery],
  'error_groups.get': scopeInQuery,
  'error_groups.explain': scopeInQuery,
  'error_groups.set_state': [inBody('project', 'project', (project) => ({ project }))],
  'service_map.get': scopeInQuery,
  'profiles.flamegraph': scopeInQuery,
  'profiles.flamegraph_diff': [
    ...scopeInQuery,
    inQuery('flag', 'flag', { project: 'default', variant: 'true', base_variant: 'false' }),
  ],
  'profiles.flamegraph_sandwich': scopeInQuery,
  'tail.stream': scopeInQuery,
  'usage.get': scopeInQuery,
  ...Object.fromEntries(
    allRoutes.filter(({ isForeign, auth }) => isForeign && auth === 'user').map(({ id }) => [id, scopeInQuery]),
  ),
  'query.run': scopeInBody,
  'oql.validate': scopeInBody,
  'oql.explain': scopeInBody,
  'contrast.run': scopeInBody,
  'alert_rules.create': scopeInBody,
  'alert_rules.preview': scopeInBody,
  'alert_rules.list': scopeInQuery,
  'alert_instances.list': [inQuery('rule', 'rule')],
  'channels.create': [inBody('fallback', 'channel', (fallback) => ({ fallback }))],
  'channels.update': [inBody('fallback', 'channel', (fallback) => ({ fallback }))],
  'routing_policies.create': [
    inBody('parent', 'policy', (parent) => ({ parent })),
    inBody('channels[]', 'channel', (channel) => ({ channels: [channel] })),
  ],
  'routing_policies.update': [
    inBody('parent', 'policy', (parent) => ({ parent })),
    inBody('channels[]', 'channel', (channel) => ({ channels: [channel] })),
  ],
  'saved_queries.create': scopeInBody,
  'saved_queries.list': scopeInQuery,
  'query_history.list': scopeInQuery,
  'dashboards.create': [...scopeInBody, ...ofPanels],
  'dashboards.replace': scopeInBody,
  'dashboards.preview': [...scopeInBody, ...ofPanels],
  'dashboards.variables': scopeInBody,
  'dashboards.list': scopeInQuery,
  'dashboards.library': scopeInQuery,
  'dashboard_snapshots.create': [inBody('environment', 'environment', (environment) => ({ environment }))],
  'dashboard_snapshots.list': [inQuery('dashboard', 'dashboard')],
  'annotations.create': scopeInBody,
  'annotations.list': [...scopeInQuery, inQuery('flag', 'flag', { project: 'default' })],
  'slos.create': scopeInBody,
  'slos.import': scopeInBody,
  'slos.replace': scopeInBody,
  'slos.list': scopeInQuery,
  'recording_rules.create': scopeInBody,
  'recording_rules.preview': [...scopeInBody, inBody('replaces', 'recording_rule', (replaces) => ({ replaces }))],
  'recording_rules.replace': scopeInBody,
  'recording_rules.list': scopeInQuery,
  'flags.promote': [inBody('to', 'environment', (to) => ({ to }))],
  'flags.set_prerequisites': [
    inBody('prerequisites[].flag', 'flag', (flag) => ({ prerequisites: [{ flag, variants: ['true'] }] })),
  ],
  'flags.set_targeting': [
    inBody('rules[].clauses[].values', 'segment', (segment) => ({
      rules: [{ clauses: [{ op: 'in_segment', values: [segment] }], variant: 'true' }],
    })),
  ],
  'flags.batch': [
    inBody('writes[].flag', 'flag', (flag) => ({ writes: [{ write: 'update_flag', flag, name: 'Mine' }] })),
    inBody('writes[].segment', 'segment', (segment) => ({
      writes: [{ write: 'update_segment', segment, name: 'Mine' }],
    })),
  ],
  'flag_changes.list': filtersOfChanges,
  'flags.history': [inQuery('environment', 'environment')],
  'ramps.list': filtersOfChanges,
  'guarded_releases.list': filtersOfChanges,
  'guarded_releases.put': [
    inBody('guards[].metric', 'metric', (metric) => ({ guards: [{ metric }] })),
    inBody('channels[]', 'channel', (channel) => ({ channels: [channel] })),
  ],
  'metrics.explain': [inQuery('flag', 'flag'), inQuery('environment', 'environment')],
  'metrics.explain_by_post': explained,
  'metrics.explain_draft': explained,
  'rollout.get': [inQuery('metric', 'metric')],
  'experiments.create': ofExperiment,
  'experiments.replace_metrics': [
    inBody('goals[]', 'metric', (metric) => ({ goals: [metric] })),
    inBody('secondary[]', 'metric', (metric) => ({ goals: ['error_rate'], secondary: [metric] })),
    inBody('guardrails[]', 'metric', (metric) => ({ goals: ['error_rate'], guardrails: [metric] })),
  ],
  'experiments.list': [inQuery('flag', 'flag')],
  'experiments.calculator': [
    inQuery('metric', 'metric', { flag: 'flag-of-ada', environment: 'production' }),
    inQuery('flag', 'flag', { metric: 'error_rate', environment: 'production' }),
    inQuery('environment', 'environment', { metric: 'error_rate', flag: 'flag-of-ada' }),
  ],
  'experiments.novelty': [inQuery('metric', 'metric')],
  'experiments.timeseries': [inQuery('metric', 'metric')],
};

describe('a request that names something of another workspace', () => {
  let world: World;
  let ada: Tenant;
  let eve: Tenant;
  /** Eve's resources, and names of the same form that nobody has. */
  let names: Record<Kind, { readonly foreign: string; readonly unknown: string }>;

  beforeAll(async () => {
    world = await startWorld();
    ({ ada, eve } = world);
    const made = async (path: string, body: object): Promise<string> =>
      (await need(eve.post(`${eve.workspace}/${path}`, body))).data.id;
    const project = eve.projectId;
    const indicator = { kind: 'events', source: 'spans', good: 'status != error' };
    const slo = { name: 'Theirs', project, indicator, objective: 0.9, window: { kind: 'rolling', period: '7d' } };
    const condition = { op: '>', threshold: 1 };
    const metric = { key: 'theirs', name: 'Theirs', kind: 'conversion', source: 'logs', unit: 'user.id' };
    const variants = ['false', 'true'].map((variant) => ({ variant, weight: 50_000 }));
    await need(
      eve.put(`${eve.project}/environments/production/flags/${eve.flagKey}`, {
        enabled: true,
        off_variant: 'false',
        fallthrough: { variant: 'false' },
        version: 0,
      }),
    );
    await need(eve.post(`${eve.project}/segments`, { key: 'segment-of-eve', name: 'Theirs' }));
    const experiment = {
      key: 'theirs',
      name: 'Theirs',
      flag: eve.flagKey,
      environment: 'production',
      control: 'false',
      variants,
    };
    const ids = {
      project,
      environment: eve.productionId,
      role: eve.emptyRoleId,
      channel: await made('channels', { name: 'Theirs', kind: 'email', config: { to: [eve.email] } }),
      policy: await made('routing-policies', { name: 'Theirs', matchers: ['team=none'] }),
      recording_rule: await made('recording-rules', {
        ...{ name: 'theirs.spans', project, query: 'spans | stats value=count()', every: '1m' },
      }),
      rule: await made('alert-rules', { name: 'Theirs', query: 'spans | stats value=count()', condition, project }),
      slo: await made('slos', slo),
      dashboard: await made('dashboards', { name: 'Theirs', panels: [] }),
      metric: await made('projects/default/metrics', metric),
      experiment: await made('projects/default/experiments', experiment),
    };
    names = {
      ...(Object.fromEntries(
        Object.entries(ids).map(([kind, foreign]) => [kind, { foreign, unknown: randomUUID() }]),
      ) as Record<keyof typeof ids, { foreign: string; unknown: string }>),
      flag: { foreign: eve.flagKey, unknown: 'flag-of-nob' },
      segment: { foreign: 'segment-of-eve', unknown: 'segment-of-nob' },
    };
  }, 400_000);
  afterAll(() => world?.stop());

  /** The audit log, and how many rows the tables have that only requests write. */
  async function stateOf(): Promise<ReadonlyMap<string, string>> {
    const counts = sql.join(
      tables.map((table) => sql`SELECT ${table} AS name, count(*)::text AS value FROM ${sql.table(table)}`),
      sql` UNION ALL `,
    );
    const audit = sql`SELECT action, count(*)::text FROM audit_entries WHERE workspace_id IN (${ada.workspaceId}, ${eve.workspaceId}) AND actor_type <> 'system' GROUP BY action`;
    const { rows } = await sql<{ name: string; value: string }>`${counts} UNION ALL ${audit}`.execute(world.db);
    return new Map(rows.map(({ name, value }) => [name, value]));
  }

  /** The answer to a request with this name in it, without what differs from request to request. */
  async function answerTo(id: string, { naming }: Reference, name: string): Promise<Outcome> {
    const route = routeOf(id);
    const own = await prepare(route, ada);
    const request = redirected(own, naming(name, own));
    const read = async () =>
      route.method === 'PUT' || route.method === 'PATCH' ? await versionAt(request) : undefined;
    const before = route.reads ? undefined : { state: await stateOf(), version: await read() };
    const { status, text } = await sendAsOwner(ada, request);
    const changes = before === undefined ? [] : differences(before.state, await stateOf());
    if (before !== undefined && before.version !== (await read())) changes.push(`the resource of ${id}`);
    const varying =
      /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{10}|(?<="(took_ms|age_ms|rate)":)[\d.]+/g;
    return { status, text: text.replaceAll(name, 'NAME').replace(varying, '…'), changes };
  }

  /** The version of what a request replaces or changes; undefined: it cannot be read at the same path. */
  async function versionAt(request: Operation): Promise<string | undefined> {
    const path = routePath(request.route, request.params);
    const { status, data } = await testClient(ada.base, { cookie: ada.cookie }).get(path);
    return status === 200 ? `${data.version} ${data.updated_at}` : undefined;
  }
  const rows = (of: (reference: Reference) => boolean) =>
    Object.entries(references).flatMap(([id, list]) =>
      list.filter(of).map((reference) => [id, reference.place, reference] as const),
    );

  it.each(rows(() => true))(
    'is answered like one that names nothing, and changes nothing: %s, %s',
    async (id, _place, reference) => {
      const { foreign, unknown } = names[reference.kind];
      const answer = await answerTo(id, reference, foreign);
      const other = await answerTo(id, reference, unknown);
      if (routeOf(id).reads) expect(answer).toEqual(other);
      else if (ofPanels.includes(reference)) {
        expect(answer).toEqual(other);
        if (['slo', 'experiment'].includes(reference.kind)) expect(answer.text).toMatch(/"warnings":\["/);
      } else expect(faultsOf(answer, other)).toEqual([]);
    },
  );

  // Their answers do not end, differ each time, or take long.
  const unlike = new Set(['tail.stream', 'oql.explain', 'tokens.create', 'flag_keys.create', 'alert_rules.preview']);
  it.each(rows(({ kind }) => kind === 'environment').filter(([id]) => !unlike.has(id)))(
    'may name its own environment by id or by key: %s, %s',
    async (id, _place, reference) => {
      // Between the two requests a job may change what is listed, such as when a rule was last evaluated.
      await vi.waitFor(
        async () => {
          const byKey = await answerTo(id, reference, 'production');
          const byId = await answerTo(id, reference, ada.productionId);
          expect(byId.status).toBe(byKey.status);
          // An answer contains the key, however it was named.
          expect(byId.text).not.toContain('NAME');
          expect(byId.text).toBe(byKey.text.replaceAll('NAME', 'production'));
        },
        { timeout: 20_000 },
      );
    },
  );

  it('is tested for every field of a body or a query that can name something', async () => {
    const places = placesOf(await servedDocument(world.base));
    const tested = new Set(
      Object.entries(references).flatMap(([id, list]) => list.map(({ place }) => `${id} ${place}`)),
    );
    expect(places.filter((place) => !tested.has(place) && !untested.has(place))).toEqual([]);
    expect([...untested].filter((place) => !places.includes(place) || tested.has(place))).toEqual([]);
  });
});

/** Tables of what people create. Jobs write to others at any time. */
const tables = [
  ...[
    'alert_rules',
    'api_tokens',
    'channels',
    'dashboards',
    'dashboard_snapshots',
    'dashboard_versions',
    'experiments',
  ],
  ...['flags', 'flag_changes', 'flag_metrics', 'grants', 'guarded_releases', 'invitations', 'members'],
  ...['policy_channels', 'recording_rules', 'routing_policies', 'saved_queries', 'sdk_keys', 'segments', 'slos'],
];

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

const ofPeople = allRoutes.filter(({ auth }) => auth === 'user' || auth === 'session');

function routeOf(id: string): AnyRoute {
  const route = ofPeople.find((known) => known.id === id);
  if (route === undefined) throw new Error(`no route ${id}`);
  return route;
}

/** Where a field of such a name does not name a resource, or is one of several of the same code. */
const untested = new Set([
  // A replacement is checked by the code that checks a creation.
  ...['slo', 'experiment', 'flag.project', 'flag.environment', 'split.flag'].map(
    (place) => `dashboards.replace body panels[].${place}`,
  ),
  ...['flag', 'environment', 'metrics.goals[]', 'metrics.secondary[]', 'metrics.guardrails[]'].map(
    (place) => `experiments.replace body ${place}`,
  ),
  // The names of a metric and of a field in telemetry.
  'exemplars.list query metric',
  'fields.list query field',
  'prometheus.metadata query metric',
  // A batch runs the single writes, and looks its environment up in the project.
  'flags.batch body writes[].environment',
  'flags.batch body writes[].prerequisites[].flag',
  'dashboards.create body panels[].flag.environment',
  'dashboards.preview body panels[].flag.environment',
]);
