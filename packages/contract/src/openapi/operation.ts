import { z } from 'zod';
import { type ErrorName, errors } from '../errors.ts';
import type { AnyRoute } from '../route.ts';
import { takesIfMatch } from '../versions.ts';
import { errorsOf } from './errors-of.ts';
import { permissionsOf } from './permissions-of.ts';
import { componentReference, type Json } from './schemas.ts';

/** What an operation takes from the components of the document. */
export interface Parts {
  /** The schemas of a route: parameters, body, and the whole of each answer. */
  readonly query: Json;
  readonly body: Json | undefined;
  readonly answer: Json | undefined;
  readonly accepted: Json | undefined;
  /** The example of an answer, by reference where the answer has a name. */
  exampleOf(schema: Json): Json;
  bodyExample(schema: Json): unknown;
  /** By reference, if many routes have the parameter. */
  parameterOf(parameter: Json): Json;
  /** The response for errors of one status. */
  errorResponse(names: readonly ErrorName[]): Json;
}

const bySecurity: Record<AnyRoute['auth'], Json[]> = {
  public: [],
  session: [{ session: [] }],
  user: [{ session: [] }, { token: [] }],
  sdk: [{ sdkKey: [] }],
  ingest: [{ token: [] }],
};

const entityTag = { ETag: { description: 'for If-None-Match', schema: { type: 'string' } } };
const ofrepStatuses = ['400', '401', '403', '404', '413', '415', '429', '503'];
/** Of other products, whose clients read no more than this: each status would take a tenth of the document. */
const foreignStatuses = ['4XX', '5XX'];

export function hasBody({ body }: AnyRoute): boolean {
  return !(body instanceof z.ZodUndefined);
}

/** The text of a query parameter as the type that its schema has. */
function typed(text: string, { type }: Json): string | number {
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function parametersOf(route: AnyRoute, parts: Parts): Json[] {
  const { properties = {}, required = [] } = parts.query as { properties?: Record<string, Json>; required?: string[] };
  const named = [...route.path.matchAll(/\{(\w+)\}/g)];
  const inPath = named.map(([, name], at) => ({
    name,
    in: 'path',
    required: true,
    schema: {
      ...{ type: 'string', minLength: 1 },
      maxLength: route.longParameter && at === named.length - 1 ? 15_000 : 300,
    },
    ...(name === route.keyParameter && { description: 'The SDK key, which is needed in no header' }),
  }));
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(route.example?.query?.[name] !== undefined && { example: typed(route.example.query[name], schema) }),
  }));
  const version = {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'the version that you have read, in place of `version` in the body',
    schema: { type: 'string', pattern: '^("[0-9]{1,15}"|[0-9]{1,15})$' },
    example: '"3"',
  };
  return [...[...inPath, ...inQuery].map(parts.parameterOf), ...(takesIfMatch(route) ? [version] : [])];
}

function requestBody(route: AnyRoute, parts: Parts): Json {
  const { body: schema = {} } = parts;
  const forms = route.requestMedia.map((media) =>
    media === 'application/json'
      ? [media, { schema, example: parts.bodyExample(schema) }]
      : [media, { schema: { type: 'string', format: 'binary' } }],
  );
  return { required: !(route.body instanceof z.ZodOptional), content: Object.fromEntries(forms) };
}

function successes(route: AnyRoute, parts: Parts): Record<string, Json> {
  const { answer, accepted } = parts;
  const media = (schema: Json) => ({
    [route.media]: { schema, ...parts.exampleOf(schema) },
    ...Object.fromEntries(route.otherMedia.map((other) => [other, {}])),
  });
  const ok: Json = {
    description: answer === undefined ? 'Done; no body' : 'Success',
    ...(route.otherStatus === 304 && { headers: entityTag }),
    ...(answer !== undefined && { content: media(answer) }),
  };
  switch (route.otherStatus) {
    case undefined:
      return { [route.status]: ok };
    case 302:
      return { 302: { description: 'Redirect', headers: { Location: { schema: { type: 'string' } } } } };
    case 304:
      return { [route.status]: ok, 304: { description: 'Not modified', headers: entityTag } };
    case 202:
      return {
        [route.status]: ok,
        202:
          accepted === undefined
            ? ok
            : {
                description: 'Accepted for later',
                content: { [route.media]: { schema: accepted, ...parts.exampleOf(accepted) } },
              },
      };
  }
}

/** An error in the format of an ingest protocol. */
function failureIn(media: string, parts: Parts): Json {
  if (media === 'text/plain') return { schema: { type: 'string' }, example: 'what is wrong' };
  const schema = { $ref: `${componentReference}RpcStatus` };
  return media === 'application/json' ? { schema, ...parts.exampleOf(schema) } : {};
}

/** The components of errors in the forms of other products, by where the routes begin. */
const failuresByPath = [
  ['/jaeger/api/v3/', 'JaegerOtlpFailure'],
  ['/jaeger/', 'JaegerFailure'],
  ['/loki/', 'LokiFailure'],
  ['/prometheus/', 'PrometheusFailure'],
] as const;

/** The component of errors in the form of the product whose client calls a route. */
function foreignFailureOf({ id, path }: AnyRoute): string | undefined {
  if (id.startsWith('launchdarkly.')) return 'LaunchDarklyFailure';
  if (id.startsWith('growthbook.')) return 'GrowthBookFailure';
  if (id.startsWith('unleash.')) return 'UnleashFailure';
  return failuresByPath.find(([start]) => path.startsWith(start))?.[1];
}

function failures(route: AnyRoute, parts: Parts): Record<string, Json> {
  if (route.path.startsWith('/ofrep/')) {
    const ofrep = { $ref: '#/components/responses/OfrepFailure' };
    return Object.fromEntries(ofrepStatuses.map((status) => [status, ofrep]));
  }
  if (route.isForeign) {
    const component = foreignFailureOf(route);
    const failure =
      component === undefined
        ? { description: 'What is wrong', content: { 'text/plain': failureIn('text/plain', parts) } }
        : { $ref: `#/components/responses/${component}` };
    return Object.fromEntries(foreignStatuses.map((status) => [status, failure]));
  }
  const byStatus = [...errorsOf(route)].map(([status, names]) => [
    status,
    route.auth === 'ingest'
      ? {
          description: `${names.map((name) => errors[name].code).join(', ')}, in the protocol's error format`,
          content: Object.fromEntries(route.failureMedia.map((media) => [media, failureIn(media, parts)])),
        }
      : parts.errorResponse(names),
  ]);
  const jsonRpc = { $ref: '#/components/responses/JsonRpcFailure' };
  return { ...Object.fromEntries(byStatus), ...(route.path === '/mcp' && { 400: jsonRpc }) };
}

const takesHeader = ({ keyParameter, keyInHeaderToo }: AnyRoute) =>
  keyParameter === undefined || keyInHeaderToo === true;

export function operation(route: AnyRoute, parts: Parts): Json {
  const parameters = parametersOf(route, parts);
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [route.tag],
    security: [
      ...bySecurity[route.auth],
      ...(route.auth === 'sdk' && hasBody(route) && takesHeader(route) ? [{ sdkKeyHeader: [] }] : []),
    ],
    'x-permission': permissionsOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(route) && { requestBody: requestBody(route, parts) }),
    responses: { ...successes(route, parts), ...failures(route, parts) },
  };
}
