import { z } from 'zod';
import { ErrorEnvelope, Meta } from './envelope.ts';
import { type ErrorName, errors } from './errors.ts';
import { OfrepFailure } from './flags/evaluation.ts';
import type { AnyRoute } from './route.ts';

type Json = Record<string, unknown>;

/** JSON Schema 2020-12: `input` for requests (defaults optional), `output` for responses. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}

const bySecurity: Record<AnyRoute['auth'], Json[]> = {
  public: [],
  session: [{ session: [] }],
  user: [{ session: [] }, { token: [] }],
  sdk: [{ sdkKey: [] }],
  ingest: [{ token: [] }],
};

/** Errors that every route of this kind can return, besides those it declares. */
function implied(route: AnyRoute): ErrorName[] {
  const hasBody = !(route.body instanceof z.ZodUndefined);
  if (route.bodies === 'protocol' && route.auth === 'ingest')
    return [
      'MALFORMED_BODY',
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'BODY_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'RATE_LIMITED',
      'STORE_UNAVAILABLE',
    ];
  if (route.bodies === 'protocol' && route.auth !== 'sdk')
    return ['INVALID_QUERY', 'HOST_UNKNOWN', 'RATE_LIMITED', 'INTERNAL', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN'];
  if (route.bodies === 'protocol')
    return [
      'UNAUTHENTICATED',
      'WRONG_CREDENTIAL',
      'RATE_LIMITED',
      'STORE_UNAVAILABLE',
      'SHUTTING_DOWN',
      'INVALID_QUERY',
      ...(hasBody ? (['MALFORMED_BODY', 'INVALID_INPUT', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ];
  return [
    'RATE_LIMITED',
    'INTERNAL',
    'INVALID_QUERY',
    'HOST_UNKNOWN',
    'STORE_UNAVAILABLE',
    'SHUTTING_DOWN',
    ...(route.auth === 'public' ? [] : (['UNAUTHENTICATED', 'WRONG_CREDENTIAL'] as const)),
    ...(route.permission ? (['PERMISSION_DENIED'] as const) : []),
    ...(/\{(ws|p|e|id)\}/.test(route.path) || route.callerWorkspace ? (['NOT_FOUND'] as const) : []),
    ...(route.callerWorkspace ? (['WORKSPACE_REQUIRED'] as const) : []),
    ...(hasBody
      ? (['MALFORMED_BODY', 'INVALID_INPUT', 'JSON_TOO_DEEP', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)
      : []),
    ...(route.list ? (['INVALID_CURSOR'] as const) : []),
    ...(route.reads ? [] : (['CROSS_ORIGIN'] as const)),
    ...(route.method === 'POST' && !route.reads ? (['IDEMPOTENCY_CONFLICT'] as const) : []),
  ];
}

/** The errors that a route can return, by status. */
export function errorsOf(route: AnyRoute): ReadonlyMap<number, readonly ErrorName[]> {
  const byStatus = new Map<number, ErrorName[]>();
  for (const name of new Set([...route.errors, ...implied(route)])) {
    const { status } = errors[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function successSchema(route: AnyRoute): Json {
  const data = jsonSchema(route.response, 'output');
  if (route.bodies === 'protocol' || route.media !== 'application/json') return data;
  const meta = route.list
    ? {
        type: 'object',
        required: ['request_id', 'next_cursor'],
        properties: { request_id: { type: 'string' }, next_cursor: { type: ['string', 'null'] } },
      }
    : { $ref: '#/components/schemas/Meta' };
  return {
    type: 'object',
    required: ['data', 'error', 'meta'],
    properties: { data: route.list ? { type: 'array', items: data } : data, error: { type: 'null' }, meta },
  };
}

function enveloped(data: Json): Json {
  return {
    type: 'object',
    required: ['data', 'error', 'meta'],
    properties: { data, error: { type: 'null' }, meta: { $ref: '#/components/schemas/Meta' } },
  };
}

const entityTag = { ETag: { description: 'for If-None-Match', schema: { type: 'string' } } };
const ofrepStatuses = ['400', '401', '403', '404', '413', '415', '429', '503'];

function requestContent({ requestMedia, body, example }: AnyRoute): Json {
  const schema = jsonSchema(body, 'input');
  const forms = requestMedia.map((media) =>
    media === 'application/json'
      ? [media, { schema, ...(example?.body !== undefined && { example: example.body }) }]
      : [media, { schema: { type: 'string', format: 'binary' } }],
  );
  return Object.fromEntries(forms);
}

function operation(route: AnyRoute): Json {
  const parameters: Json[] = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 300 },
  }));
  const query = jsonSchema(route.query, 'input') as { properties?: Record<string, Json>; required?: string[] };
  for (const [name, schema] of Object.entries(query.properties ?? {}))
    parameters.push({
      name,
      in: 'query',
      required: query.required?.includes(name) ?? false,
      schema,
      ...(route.example?.query?.[name] !== undefined && { example: route.example.query[name] }),
    });
  const answers: Record<string, Json> = {};
  const ok: Json = { description: route.status === 204 ? 'Done; no body' : 'Success' };
  if (route.status !== 204)
    ok.content = {
      [route.media]: { schema: successSchema(route) },
      ...Object.fromEntries(route.otherMedia.map((media) => [media, {}])),
    };
  if (route.otherStatus === 304) ok.headers = entityTag;
  if (route.otherStatus !== 302) answers[route.status] = ok;
  if (route.otherStatus)
    answers[route.otherStatus] =
      route.otherStatus === 302
        ? { description: 'Redirect', headers: { Location: { schema: { type: 'string' } } } }
        : route.otherStatus === 304
          ? { description: 'Not modified', headers: entityTag }
          : route.accepted
            ? {
                description: 'Accepted for later',
                content: { [route.media]: { schema: enveloped(jsonSchema(route.accepted, 'output')) } },
              }
            : ok;
  for (const [status, names] of route.path.startsWith('/ofrep/') ? [] : errorsOf(route)) {
    if (route.auth === 'ingest') {
      const description = `${names.map((name) => errors[name].code).join(', ')}, in the protocol's error format`;
      answers[status] = { description };
      continue;
    }
    answers[status] = {
      description: names.map((name) => `${errors[name].code} ${name}`).join(', '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
    };
  }
  if (route.path.startsWith('/ofrep/'))
    for (const status of ofrepStatuses)
      answers[status] = {
        description: 'An OFREP error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/OfrepFailure' } } },
      };
  const hasBody = !(route.body instanceof z.ZodUndefined);
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [route.tag],
    security: [...bySecurity[route.auth], ...(route.auth === 'sdk' && hasBody ? [{ sdkKeyHeader: [] }] : [])],
    ...(route.permission && { 'x-permission': route.permission }),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && {
      requestBody: {
        required: !(route.body instanceof z.ZodOptional),
        content: requestContent(route),
      },
    }),
    responses: answers,
  };
}

/** The whole API as OpenAPI 3.1, generated from the mounted route declarations. */
export function openApi(routes: readonly AnyRoute[], info: { version: string; serverUrl: string }): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.prefix + route.path;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const tags = [...new Set(routes.map((route) => route.tag))].map((name) => ({
    name,
    description: `Routes of ${name.replaceAll('_', ' ')}`,
  }));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fanion',
      version: info.version,
      description: 'Observability and feature flags in one server.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.serverUrl }],
    tags,
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'svc_session', description: 'The session cookie of a browser' },
        token: { type: 'http', scheme: 'bearer', description: 'An API token, svc_pat_…' },
        sdkKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An SDK key, svc_sdk_…',
        },
        sdkKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same SDK key' },
      },
      schemas: {
        ErrorEnvelope: jsonSchema(ErrorEnvelope, 'output'),
        Meta: jsonSchema(Meta, 'output'),
        OfrepFailure: jsonSchema(OfrepFailure, 'output'),
      },
    },
  };
}
