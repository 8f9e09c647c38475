import { describe, expect, it } from 'vitest';
import { allRoutes, openApi, permissionsOf } from '../index.ts';
import { hasBody } from './operation.ts';

type Json = { readonly [key: string]: unknown };
interface Operation {
  readonly operationId: string;
  readonly 'x-permission': readonly Json[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Json }>> }>
  >;
}

const document = openApi(allRoutes, { version: '1.2.3', serverUrl: 'http://127.0.0.1:8080' }) as Json & {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Json>>; responses: Json; examples: Json };
};
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** All schemas in a node of the document with their places, without those of examples. */
function schemasIn(node: unknown, at: string): { readonly at: string; readonly schema: Json }[] {
  if (typeof node !== 'object' || node === null) return [];
  const isSchema = !Array.isArray(node) && !at.endsWith('/properties');
  return [
    ...(isSchema ? [{ at, schema: node as Json }] : []),
    ...Object.entries(node)
      .filter(([key]) => !(isSchema && ['example', 'examples', 'default', 'const', 'enum'].includes(key)))
      .flatMap(([key, child]) => schemasIn(child, `${at}/${key}`)),
  ];
}
const everywhere = [...schemasIn(document.paths, 'paths'), ...schemasIn(schemas, 'schemas')];

describe('the API document', () => {
  it('has every route', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(allRoutes.map(({ id }) => id).sort());
  });
  it('lists the errors that a route returns', () => {
    const responses = document.paths['/api/v1/workspaces/{ws}/query']?.post?.responses ?? {};
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '403', '404', '422', '429', '503']));
  });
  it('is not larger than clients can read at once', () => {
    expect(JSON.stringify(document).length).toBeLessThan(1_000_000);
  });
});

describe('the components of the API document', () => {
  it('have a name for each body and each answer in the envelope', () => {
    const bodies = allRoutes.filter((route) => hasBody(route) && route.bodies === 'envelope').map(({ id }) => id);
    const unnamed = operations.flatMap(({ operationId, requestBody, responses }) => [
      ...(bodies.includes(operationId) && !requestBody?.content['application/json']?.schema.$ref ? [operationId] : []),
      ...Object.entries(responses)
        .filter(([, { content }]) => content?.['application/json']?.schema && !content['application/json'].schema.$ref)
        .map(([status]) => `${operationId} ${status}`),
    ]);
    expect(unnamed).toEqual([]);
  });
  it('have every resource and shared value under the name that clients show', () => {
    const names = [
      ...[
        'Flag',
        'FlagInput',
        'FlagPatch',
        'FlagPage',
        'Targeting',
        'TargetingRule',
        'Clause',
        'Segment',
        'Ramp',
        'FlagChange',
      ],
      ...[
        'AlertRule',
        'AlertCondition',
        'Matcher',
        'Silence',
        'Channel',
        'RoutingPolicy',
        'InhibitionRule',
        'AlertInstance',
      ],
      ...['Dashboard', 'DashboardPanel', 'SavedQuery', 'Annotation', 'Slo', 'SloStatus', 'RecordingRule', 'Metric'],
      ...['Experiment', 'ExperimentResults', 'GuardedRelease', 'Project', 'Environment', 'Role', 'Token', 'Member'],
      ...[
        'Id',
        'Timestamp',
        'Duration',
        'Version',
        'Key',
        'QueryResult',
        'Trace',
        'Diagnostic',
        'ErrorEnvelope',
        'Meta',
      ],
    ];
    expect(names.filter((name) => !Object.hasOwn(schemas, name))).toEqual([]);
    // A name and the form of it in requests.
    expect(
      Object.keys(schemas).filter((name) => /Input(Input|Request|Result)|ResultRes|(Draft|Body)$|[^A-Za-z]/.test(name)),
    ).toEqual([]);
  });
  it('write no object out twice', () => {
    const places = new Map<string, string[]>();
    for (const { at, schema } of everywhere) {
      if (Object.keys((schema.properties ?? {}) as object).length <= 3) continue;
      const { description: _, ...rest } = schema;
      const key = JSON.stringify(rest);
      places.set(key, [...(places.get(key) ?? []), at]);
    }
    expect([...places.values()].filter((at) => at.length > 1)).toEqual([]);
  });
  it('leave no two things that a generator calls the same', () => {
    // What has no name is called after its component and its property.
    const pascal = (text: string) => text.replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase());
    const isNew = ({ properties, enum: values }: Json) => properties !== undefined || values !== undefined;
    const clashes = Object.entries(schemas).flatMap(([name, { properties }]) =>
      Object.entries((properties ?? {}) as Record<string, Json>)
        .filter(([, schema]) => [schema, ...((schema.anyOf ?? []) as Json[])].some(isNew))
        .map(([property]) => name + pascal(property))
        .filter((one) => Object.hasOwn(schemas, one)),
    );
    expect(clashes).toEqual([]);
  });
  it('name each member of a union of objects', () => {
    const unnamed = everywhere.filter(
      ({ schema }) =>
        ((schema.oneOf ?? schema.anyOf ?? []) as Json[]).some(({ properties }) => properties !== undefined) &&
        ((schema.oneOf ?? schema.anyOf) as Json[]).filter(({ type }) => type !== 'null').length > 1,
    );
    expect(unnamed.map(({ at }) => at)).toEqual([]);
  });
  it('are all used, and all there', () => {
    const text = JSON.stringify(document);
    const used = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/[^"]+)"/g)].map(([, name]) => name));
    const named = ['schemas', 'responses', 'examples', 'parameters'].flatMap((kind) =>
      Object.keys(document.components[kind as 'schemas']).map((name) => `${kind}/${name}`),
    );
    expect(named.filter((name) => !used.has(name))).toEqual([]);
    expect([...used].filter((name) => !named.includes(name ?? ''))).toEqual([]);
  });
});

describe('the integers of the API document', () => {
  const integers = everywhere.filter(({ schema }) => [schema.type].flat().includes('integer'));
  const inputs = /^paths\/.*\/(parameters|requestBody)\/|^schemas\/\w*(Input|Patch|Replacement|Request)\//;

  it('have bounds that the server means', () => {
    expect(integers.length).toBeGreaterThan(100);
    const without = integers.filter(
      ({ schema }) => schema.minimum === undefined && schema.exclusiveMinimum === undefined,
    );
    expect(without.map(({ at }) => at)).toEqual([]);
    const implied = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    expect(
      integers.filter(({ schema: { minimum, maximum } }) =>
        [minimum, maximum].some((one) => implied.includes(one as number)),
      ),
    ).toEqual([]);
  });
  it('have both in requests, and say elsewhere that they need 64 bits', () => {
    const unbounded = integers.filter(({ schema: { maximum, format } }) => maximum === undefined && format !== 'int64');
    expect(unbounded.map(({ at }) => at)).toEqual([]);
    expect(
      integers.filter(({ at, schema }) => inputs.test(at) && schema.maximum === undefined).map(({ at }) => at),
    ).toEqual([]);
  });
});

describe('x-permission', () => {
  const of = (id: string) => operations.find(({ operationId }) => operationId === id)?.['x-permission'];

  it('lists each permission with its level and what names the place', () => {
    expect(of('flags.create')).toEqual([{ permission: 'flags:write', level: 'project', named_by: 'path' }]);
    expect(of('flags.set_targeting')).toEqual([{ permission: 'flags:write', level: 'environment', named_by: 'path' }]);
    expect(of('members.list')).toEqual([{ permission: 'members:read', level: 'workspace', named_by: 'path' }]);
    expect(of('projects.update')).toEqual([{ permission: 'projects:write', level: 'project', named_by: 'path' }]);
    expect(of('query.run')).toEqual([{ permission: 'telemetry:query', level: 'environment', named_by: 'body' }]);
    expect(of('alert_rules.create')).toEqual([
      { permission: 'alerts:write', level: 'workspace', named_by: 'body' },
      { permission: 'telemetry:query', level: 'environment', named_by: 'body' },
    ]);
    expect(of('experiments.start')).toEqual([
      { permission: 'experiments:write', level: 'project', named_by: 'path' },
      { permission: 'flags:write', level: 'environment', named_by: 'resource' },
    ]);
    expect(of('ingest.otlp_traces')).toEqual([
      { permission: 'telemetry:ingest', level: 'environment', named_by: 'token' },
    ]);
  });
  it('is there on each operation, empty where none is required', () => {
    for (const route of allRoutes) expect(of(route.id), route.id).toEqual(permissionsOf(route));
    expect(of('auth.me')).toEqual([]);
  });
});
