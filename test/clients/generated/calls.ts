/*
 * Calls of a client that swagger-typescript-api made from the API document (`./api.ts`); see ../generated.test.ts, which checks
 * the types, too.
 */
import { Api, type ErrorEnvelope, type FlagInput, type HttpResponse } from './api.ts';

const { FANION_BASE: baseUrl = '', FANION_WORKSPACE: ws = '', FANION_TOKEN: token = '' } = process.env;
const bearer = (secret: string) => ({ baseUrl, baseApiParams: { headers: { authorization: `Bearer ${secret}` } } });
const { api } = new Api(bearer(token));

const server = (await api.platformMeta()).data.data.name;
const project = (await api.projectsCreate(ws, { name: 'TypeScript', key: 'typescript' })).data.data.key;

const input: FlagInput = { key: 'new-checkout', name: 'New checkout', kind: 'boolean' };
const flag = (await api.flagsCreate(ws, project, input)).data.data;
const page = (await api.flagsList(ws, project, { limit: 1 })).data;

const { version } = (await api.flagsGetTargeting(ws, project, 'production', flag.key)).data.data;
const targeting = await api.flagsSetTargeting(ws, project, 'production', flag.key, {
  enabled: true,
  off_variant: 'false',
  fallthrough: { rollout: { weights: [{ variant: 'true', weight: 100_000 }] } },
  version,
});
const key = (await api.flagKeysCreate(ws, project, { environment: 'production' })).data.data.key;
const evaluation = await new Api(bearer(key)).api.sdkEvaluate(flag.key, { context: { targetingKey: 'user-1' } });

const query = await api.queryRun(ws, { query: 'spans | stats n=count()', from: 'now-1h', to: 'now' });
const rule = await api.alertRulesCreate(ws, {
  name: 'Checkout fails',
  project,
  query: 'spans | stats value=ratio(status == error)',
  condition: { op: '>', threshold: 0.05 },
});
const dashboard = await api.dashboardsCreate(ws, {
  name: 'Shop',
  panels: [{ id: 'requests', type: 'time_series', x: 0, y: 0, w: 12, h: 8, query: 'spans | count' }],
});
// @ts-expect-error: a field that is not in the document
const wrong: FlagInput = { ...input, no_such_field: true };
const failure: HttpResponse<unknown, ErrorEnvelope> = await api
  .flagsGet(ws, project, wrong.key.replace('new', 'no-such'))
  .catch((response: HttpResponse<unknown, ErrorEnvelope>) => response);

console.log(
  JSON.stringify({
    server,
    project,
    variants: flag.variants.map((variant) => variant.key),
    flags: page.data.map((one) => one.key),
    next_cursor: page.meta.next_cursor,
    weights: targeting.data.data.fallthrough.rollout?.weights.map(({ variant, weight }) => [variant, weight]),
    writes: targeting.data.data.version - version,
    value: evaluation.data.data.value,
    rows: query.data.data.rows,
    every: rule.data.data.every,
    panels: dashboard.data.data.panels.map((panel) => panel.id),
    error: failure.error.error.code,
  }),
);
