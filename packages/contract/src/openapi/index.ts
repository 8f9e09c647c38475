import { z } from 'zod';
import { ErrorEnvelope, Meta, PageMeta } from '../envelope.ts';
import { type ErrorName, errors } from '../errors.ts';
import { OfrepFailure } from '../flags/evaluation.ts';
import { GrowthBookFailure } from '../flags/growthbook-routes.ts';
import { LaunchDarklyFailure } from '../flags/launchdarkly-routes.ts';
import { UnleashFailure } from '../flags/unleash-routes.ts';
import type { AnyRoute } from '../route.ts';
import { JsonRpcFailure } from '../system/mcp.ts';
import { ForeignPlace } from '../telemetry/foreign-place.ts';
import { RpcStatus } from '../telemetry/ingest.ts';
import { JaegerFailure } from '../telemetry/jaeger-routes.ts';
import { JaegerOtlpFailure } from '../telemetry/jaeger-v3-routes.ts';
import { LokiFailure } from '../telemetry/loki-routes.ts';
import { PrometheusFailure } from '../telemetry/prometheus.ts';
import { ExampleMaker, exampleMessage } from './examples.ts';
import { hasBody, operation, type Parts } from './operation.ts';
import { acceptedName, answerName, bodyName, resultName } from './operation-names.ts';
import { componentReference, describeSchemas, type Json, type Schemas } from './schemas.ts';

export { errorsOf } from './errors-of.ts';
export { permissionsOf, type RequiredPermission } from './permissions-of.ts';

const requestId = '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f';
const retryAfter = {
  'Retry-After': { description: 'seconds until the next try', schema: { type: 'integer', minimum: 1 } },
};

const queryName = ({ id }: AnyRoute) => `query of ${id}`;

function schemasOf(routes: readonly AnyRoute[]): Schemas {
  const queries: Record<string, z.ZodType> = {};
  const requests: Record<string, z.ZodType> = {};
  const responses: Record<string, z.ZodType> = {
    ErrorEnvelope,
    Meta,
    PageMeta,
    OfrepFailure,
    RpcStatus,
    PrometheusFailure,
    LokiFailure,
    JaegerFailure,
    JaegerOtlpFailure,
    LaunchDarklyFailure,
    GrowthBookFailure,
    UnleashFailure,
    JsonRpcFailure,
  };
  for (const route of routes) {
    queries[queryName(route)] = route.query;
    if (hasBody(route)) requests[bodyName(route)] = route.body;
    if (!(route.response instanceof z.ZodNull)) responses[resultName(route)] = route.response;
    if (route.accepted) responses[acceptedName(route)] = route.accepted;
  }
  return describeSchemas(queries, requests, responses);
}

/** What people send to create a resource, by the component that it is answered with: the example of that shows the same. */
function createdExamples(routes: readonly AnyRoute[], { output }: Schemas): Map<string, unknown> {
  const created = routes.flatMap((route) => {
    const $ref = output[resultName(route)]?.$ref;
    const isCreation = route.id.endsWith('.create') && typeof $ref === 'string';
    return isCreation ? [[($ref as string).slice(componentReference.length), route.example?.body] as const] : [];
  });
  return new Map(created);
}

/** Errors in the form of another product, by their components. */
const protocolFailures = {
  OfrepFailure: 'An OFREP error',
  PrometheusFailure: 'An error in the form of Prometheus',
  LokiFailure: 'An error in the form of Loki',
  JaegerFailure: 'An error in the form of Jaeger',
  JaegerOtlpFailure: "An error in the form of Jaeger's API v3",
  LaunchDarklyFailure: 'An error in the form of LaunchDarkly',
  GrowthBookFailure: 'An error in the form of GrowthBook',
  UnleashFailure: 'An error in the form of Unleash',
  JsonRpcFailure: 'An error of JSON-RPC',
};

/** The name of the component for a parameter that many routes have; undefined: it has none. */
function sharedParameter(parameter: Json): string | undefined {
  const { name, in: where, description, schema } = parameter as { name: string; in: string } & Record<string, Json>;
  if (where === 'path') return description === undefined && schema?.maxLength === 300 ? `path_${name}` : undefined;
  const place = Object.hasOwn(ForeignPlace, name) ? ForeignPlace[name as keyof typeof ForeignPlace] : undefined;
  return place !== undefined && schema?.description === place.description ? `foreign_${name}` : undefined;
}

/** Collects the components of the document while its operations are described. */
class Components {
  readonly schemas: Record<string, Json>;
  readonly responses: Record<string, Json> = {};
  readonly examples: Record<string, Json> = {};
  readonly parameters: Record<string, Json> = {};
  readonly #described: Schemas;
  readonly #maker: ExampleMaker;

  constructor(described: Schemas, created: ReadonlyMap<string, unknown>) {
    this.#described = described;
    this.schemas = { ...described.components };
    this.#maker = new ExampleMaker(this.schemas, created);
    for (const [name, description] of Object.entries(protocolFailures)) {
      const schema = { $ref: componentReference + name };
      const content = { 'application/json': { schema, ...this.#exampleOf(schema) } };
      this.responses[name] = { description, content };
    }
  }

  /** The answer of a route that returns these data. */
  #enveloped(route: AnyRoute, data: Json): Json {
    const name = answerName(route, data);
    this.schemas[name] = {
      type: 'object',
      required: ['data', 'error', 'meta'],
      properties: {
        data: route.list ? { type: 'array', items: data } : data,
        error: { type: 'null' },
        meta: { $ref: `${componentReference}${route.list ? 'PageMeta' : 'Meta'}` },
      },
    };
    return { $ref: componentReference + name };
  }

  #exampleOf(schema: Json): Json {
    if (typeof schema.$ref !== 'string') return { example: this.#maker.exampleOf(schema) };
    const name = schema.$ref.slice(componentReference.length);
    this.examples[name] ??= { value: this.#maker.exampleOf(schema) };
    return { examples: { example: { $ref: `#/components/examples/${name}` } } };
  }

  #errorExample(name: ErrorName): Json {
    const { code, status, message } = errors[name];
    const error = { code, message: exampleMessage(message), status };
    this.examples[name] ??= { value: { data: null, error, meta: { request_id: requestId } } };
    return { $ref: `#/components/examples/${name}` };
  }

  #errorResponse(names: readonly ErrorName[]): Json {
    const codes = names.map((name) => errors[name].code).sort();
    const name = ['SVC', ...codes.map((code) => code.slice('SVC-'.length))].join('-');
    const waits = names.some((one) => errors[one].status === 429 || errors[one].status === 503);
    this.responses[name] ??= {
      description: names.map((one) => `${errors[one].code} ${one}`).join(', '),
      ...(waits && { headers: retryAfter }),
      content: {
        'application/json': {
          schema: { $ref: `${componentReference}ErrorEnvelope` },
          examples: Object.fromEntries(names.map((one) => [one, this.#errorExample(one)])),
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  /** Ordinary ones of paths, and the place in routes for clients of other products: there are many of both. */
  #parameterOf(parameter: Json): Json {
    const component = sharedParameter(parameter);
    if (component === undefined) return parameter;
    this.parameters[component] ??= parameter;
    return { $ref: `#/components/parameters/${component}` };
  }

  partsOf(route: AnyRoute): Parts {
    const { input, output } = this.#described;
    const data = output[resultName(route)];
    const accepted = output[acceptedName(route)];
    return {
      query: input[queryName(route)] ?? {},
      body: input[bodyName(route)],
      answer: data && (route.enveloped ? this.#enveloped(route, data) : data),
      accepted: accepted && this.#enveloped(route, accepted),
      exampleOf: (schema) => this.#exampleOf(schema),
      bodyExample: (schema) => route.example?.body ?? this.#maker.exampleOf(schema),
      parameterOf: (parameter) => this.#parameterOf(parameter),
      errorResponse: (names) => this.#errorResponse(names),
    };
  }
}

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'svc_session', description: 'The session cookie of a browser' },
  token: { type: 'http', scheme: 'bearer', description: 'An API token, svc_pat_…' },
  sdkKey: { type: 'http', scheme: 'bearer', description: 'An SDK key, svc_sdk_…' },
  sdkKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same SDK key' },
};

/** The whole API as OpenAPI 3.1, generated from the mounted route declarations. */
export function openApi(routes: readonly AnyRoute[], info: { version: string; serverUrl: string }): Json {
  const schemas = schemasOf(routes);
  const components = new Components(schemas, createdExamples(routes, schemas));
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.prefix + route.path;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components.partsOf(route)) };
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
    components: { securitySchemes, ...components },
  };
}
