import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ancestorsOf,
  attr,
  childrenOf,
  documented,
  first,
  inTrace,
  ofResource,
  second,
  spans,
} from './testing/documented.ts';
import { id, type Sent, startTempoWorld, type TempoWorld } from './testing/shop.ts';

const code = (span: Sent) => attr(span, 'http.status_code');
/** A number: other types do not compare with one. */
const status = (span: Sent) => {
  const value = code(span);
  return typeof value === 'number' ? value : Number.NaN;
};
const method = (span: Sent) => attr(span, 'http.method');
const url = (span: Sent) => attr(span, 'http.url');
const accept = (span: Sent) => attr(span, 'http.request.header.Accept');
const value = (span: Sent) => attr(span, 'value');
const environment = (span: Sent) => ofResource(span, 'deployment.environment');
const region = (span: Sent) => ofResource(span, 'cloud.region');
const rootOf = (span: Sent) => inTrace(span, ({ parent }) => parent === undefined)[0];
const traceMs = (span: Sent) => {
  const all = inTrace(span, () => true);
  return Math.max(...all.map(({ at, ms }) => at + ms)) - Math.min(...all.map(({ at }) => at));
};
/** The spans of two sets in traces that have both. */
const both = (left: (span: Sent) => unknown, right: (span: Sent) => unknown) => (span: Sent) =>
  (left(span) || right(span)) && inTrace(span, left).length > 0 && inTrace(span, right).length > 0;
const isFrontend = ({ service }: Sent) => service === 'frontend';
const isError = ({ error }: Sent) => error;
const isOk = ({ ok }: Sent) => ok;
const isOrder = ({ name }: Sent) => name === 'POST /api/orders';

/** The queries of Tempo's documentation that find spans (`docs/sources/tempo`, of 2.8 and of August 2026). */
const examples: readonly (readonly [query: string, matches: (span: Sent) => unknown])[] = [
  [
    '{ span.http.status_code >= 200 && span.http.status_code < 300 } | count() > 2',
    (span) => status(span) === 200 && inTrace(span, (other) => status(other) === 200).length > 2,
  ],
  ['{resource.service.name = "frontend" && name = "POST /api/orders"}', (span) => isFrontend(span) && isOrder(span)],
  [
    `{
      resource.service.namespace = "ecommerce" &&
      resource.service.name = "frontend" &&
      resource.deployment.environment = "production" &&
      name = "POST /api/orders"
    }`,
    (span) => isFrontend(span) && isOrder(span),
  ],
  [
    '{ resource.service.name="frontend" && name = "POST /api/orders" && status = error }',
    (span) => isFrontend(span) && isOrder(span) && isError(span),
  ],
  [
    '{ resource.service.name="frontend" && name = "POST /api/orders" && span.http.status_code >= 500 }',
    (span) => isFrontend(span) && isOrder(span) && status(span) >= 500,
  ],
  [
    '{span.service.name="frontend" && name = "GET /api/products/{id}"} && {span.db.system="postgresql"}',
    both(
      (span) => attr(span, 'service.name') === 'frontend' && span.name === 'GET /api/products/{id}',
      (span) => attr(span, 'db.system') === 'postgresql',
    ),
  ],
  [
    '{ resource.deployment.environment = "production" } && { resource.deployment.environment = "staging" }',
    both(
      (span) => environment(span) === 'production',
      (span) => environment(span) === 'staging',
    ),
  ],
  ['{ span.foo = "bar" }', (span) => attr(span, 'foo') === 'bar'],
  ['{ span.foo != "bar" }', (span) => attr(span, 'foo') === 'baz'],
  ['{span.http.request.header.Accept=~".*"}', accept],
  ['{span.http.request.header.Accept=~"application.*"}', (span) => accept(span) === 'application/json'],
  ['{ span.http.request.header.Accept =~ "application.*" }', (span) => accept(span) === 'application/json'],
  ['{ span.http.request.header.Accept !~ "application.*" }', (span) => accept(span) === 'text/html'],
  [
    '{ resource.service.name="frontend" } >> { status = error }',
    (span) => isError(span) && ancestorsOf(span).some(isFrontend),
  ],
  [
    '{ } !< { resource.service.name = "productcatalogservice" }',
    (span) => span.service === 'productcatalogservice' && childrenOf(span).length === 0,
  ],
  ['{ } !< { resource.service.name = "foo" }', (span) => span.service === 'foo' && childrenOf(span).length === 0],
  ['{ status = error } !< { status = error }', (span) => isError(span) && !childrenOf(span).some(isError)],
  [
    '{ resource.service.name = "productcatalogservice" } ~ { resource.service.name="frontend" }',
    (span) =>
      isFrontend(span) &&
      inTrace(span, ({ parent, service }) => parent === span.parent && service === 'productcatalogservice').length > 0,
  ],
  ['{ span.http.status_code = 200 } | select(resource.service.name)', (span) => code(span) === 200],
  [
    '{ resource.deployment.environment = "production" } && { span.http.status_code = 200 }',
    both(
      (span) => environment(span) === 'production',
      (span) => code(span) === 200,
    ),
  ],
  [
    '{ span.http.method = "GET" && status = ok } && { span.http.method = "DELETE" && status != ok }',
    both(
      (span) => method(span) === 'GET' && isOk(span),
      (span) => method(span) === 'DELETE' && !isOk(span),
    ),
  ],
  [
    '{ resource.deployment.environment =~ "prod-.*" && span.http.status_code = 200 }',
    (span) => environment(span) === 'prod-eu' && code(span) === 200,
  ],
  ['{ span:name = "foo" }', ({ name }) => name === 'foo'],
  ['{ event:name = "foo" }', ({ event }) => event?.name === 'foo'],
  ['{ trace:id = "1234" }', ({ trace }) => trace === second],
  ['{ link:traceID = "1234" }', ({ link }) => link?.trace === second],
  ['{ resource.foo = "bar" }', isFrontend],
  ['{ link.foo = "bar" }', ({ link }) => link?.attributes?.foo === 'bar'],
  ['{ event.foo = "bar" }', ({ event }) => event?.attributes?.foo === 'bar'],
  [
    '{ resource.k8s.cluster.name="service-name" && trace:rootName !~ ".*perf.*"}',
    (span) => isFrontend(span) && !/perf/.test(rootOf(span)?.name ?? ''),
  ],
  ['{ span.http.method = "GET" }', (span) => method(span) === 'GET'],
  ['{ resource.deployment.environment = "production" }', (span) => environment(span) === 'production'],
  ['{ span.db.system =~ "postgresql|mysql" }', (span) => attr(span, 'db.system')],
  ['{ span.db.system = "postgresql" }', (span) => attr(span, 'db.system') === 'postgresql'],
  ['{ event.exception.message =~ ".*something went wrong.*" }', ({ event }) => event?.name === 'exception'],
  ['{ event.exception.message = nil }', ({ event }) => event?.attributes?.['exception.message'] === undefined],
  ['{ link.opentracing.ref_type = "child_of" }', ({ link }) => link?.attributes?.['opentracing.ref_type']],
  ['{ instrumentation.language = "java" }', ({ service }) => service === 'foo'],
  ['{ span."attribute name with space" = "value" }', (span) => attr(span, 'attribute name with space')],
  [
    '{ span.attribute."attribute name with space" = "value" }',
    (span) => attr(span, 'attribute.attribute name with space'),
  ],
  [
    '{ span.http.status_code >= 400 && span.http.status_code < 500 }',
    (span) => status(span) >= 400 && status(span) < 500,
  ],
  ['{ span.http.status_code >= "400" }', (span) => code(span) === '400'],
  ['{ span.http.status_code >= 200 && span.http.status_code < 300 }', (span) => code(span) === 200],
  ['{ span.http.status_code = 200 }', (span) => code(span) === 200],
  ['{ span.http.status_code = 500 }', (span) => code(span) === 500],
  ['{ .http.status_code = 500 }', (span) => code(span) === 500],
  ['{ span.http.status_code = 500 && status = error }', (span) => code(span) === 500 && isError(span)],
  ['{ span.http.method =~ "DELETE|GET" }', (span) => method(span) === 'DELETE' || method(span) === 'GET'],
  ['{ span.http.method = "DELETE" && status != ok }', (span) => method(span) === 'DELETE' && !isOk(span)],
  ['{ span.any_attribute != nil }', (span) => attr(span, 'any_attribute') !== undefined],
  ['{ span.any_attribute = nil }', (span) => attr(span, 'any_attribute') === undefined],
  ['{ span.optional_field = nil }', (span) => attr(span, 'optional_field') === undefined],
  ['{ span.required_field != nil }', (span) => attr(span, 'required_field') !== undefined],
  ['{ resource.service.version = nil }', (span) => !isFrontend(span)],
  [
    '{ resource.cloud.region = "us-east-1" } && { resource.cloud.region = "us-west-1" }',
    both(
      (span) => region(span) === 'us-east-1',
      (span) => region(span) === 'us-west-1',
    ),
  ],
  ['{ resource.cloud.region = "us-east-1" && resource.cloud.region = "us-west-1" }', () => false],
  ['{ resource.cloud.region = "us-east-1" } || { resource.cloud.region = "us-west-1" }', region],
  ['{ resource.cloud.region =~ "us-east-1|us-west-1" }', region],
  [
    '{ span.http.url = "/path/of/api" } >> { span.db.name = "db-shard-001" }',
    (span) => attr(span, 'db.name') === 'db-shard-001' && ancestorsOf(span).some((one) => url(one) === '/path/of/api'),
  ],
  [
    '{ span.http.url = "/path/of/api" && status = error } &>> { status = error }',
    (span) => isError(span) && [span, ...ancestorsOf(span)].some((one) => url(one) === '/path/of/api'),
  ],
  ['{ } >> { status=error }', (span) => isError(span) && span.parent !== undefined],
  ['count() > 10', (span) => inTrace(span, () => true).length > 10],
  ['avg(duration) > 20ms', (span) => average(inTrace(span, () => true)) > 20],
  [
    '{ span.http.status_code = 200 } | count() > 3',
    (span) => code(span) === 200 && inTrace(span, (one) => code(one) === 200).length > 3,
  ],
  ['{ } | sum(span.bytesProcessed) > 1000000000', ({ trace }) => trace === first],
  [
    '{ status = error } | by(resource.service.name) | count() > 1',
    (span) => isError(span) && inTrace(span, (one) => isError(one) && one.service === span.service).length > 1,
  ],
  [
    '{ resource.deployment.environment = "production" && trace:duration > 2s } | count() > 30',
    (span) => isFrontend(span) && traceMs(span) > 2_000 && inTrace(span, isFrontend).length > 30,
  ],
  ['{ span.http.request_content_length > 10 * 1024 * 1024 }', (span) => attr(span, 'http.request_content_length')],
  ['{ status = error } | select(span.http.status_code, span.http.url)', isError],
  ['{} with (most_recent=true)', () => true],
  [
    '{ span.foo = "bar" } >> { status = error } with (most_recent=true)',
    (span) => isError(span) && ancestorsOf(span).some((one) => attr(one, 'foo') === 'bar'),
  ],
  ['{}', () => true],
  ['{ }', () => true],
  ['{status=error}', isError],
  ['{span:status=error}', isError],
  ['{ span:status = ok }', isOk],
  ['{ span:statusMessage = "Forbidden" }', ({ message }) => message === 'Forbidden'],
  ['{ span:duration > 100ms }', ({ ms }) => ms > 100],
  ['{duration>1s}', ({ ms }) => ms > 1_000],
  ['{span:duration>1s}', ({ ms }) => ms > 1_000],
  ['{ span:name = "HTTP POST" }', ({ name }) => name === 'HTTP POST'],
  ['{ span:kind = server }', ({ kind }) => kind === 'server'],
  ['{ span:id = "0000000000000001" }', (span) => span.id === id(1)],
  ['{ span:parentID = "000000000000001" }', ({ parent }) => parent === id(1)],
  ['{ span:childCount = 0 }', (span) => childrenOf(span).length === 0],
  ['{ span:childCount > 0 }', (span) => childrenOf(span).length > 0],
  ['{ span:childCount > 10 }', (span) => childrenOf(span).length > 10],
  [
    '{ resource.service.name = "frontend" && span:childCount = 0 }',
    (span) => isFrontend(span) && childrenOf(span).length === 0,
  ],
  ['{ trace:duration > 100ms }', (span) => traceMs(span) > 100],
  ['{ trace:duration > 5s }', (span) => traceMs(span) > 5_000],
  [
    '{ trace:duration > 5s && resource.service.name = "api" }',
    (span) => traceMs(span) > 5_000 && span.service === 'api',
  ],
  ['{ trace:rootName = "HTTP GET" }', (span) => rootOf(span)?.name === 'HTTP GET'],
  [
    '{ trace:rootName = "POST /api/orders" && resource.deployment.environment = "production" }',
    (span) => rootOf(span)?.name === 'POST /api/orders' && isFrontend(span),
  ],
  ['{ trace:rootService = "gateway" }', ({ trace }) => trace === first],
  ['{ trace:id = "1234567890abcde" }', ({ trace }) => trace === first],
  ['{ event:name = "exception" }', ({ event }) => event?.name === 'exception'],
  ['{ event:timeSinceStart > 2ms}', ({ event }) => event],
  ['{ event:timeSinceStart > -5s }', ({ event }) => event],
  ['{ link:spanID = "0000000000000001" }', ({ link }) => link?.span === id(1)],
  ['{ link:traceID = "1234567890abcde" }', ({ link }) => link?.trace === first],
  ['{ instrumentation:name = "grpc" }', ({ service }) => service === 'foo'],
  ['{ instrumentation:version = "1.0.0" }', ({ service }) => service === 'foo'],
  ['{ resource.service.name = "foo" }', ({ service }) => service === 'foo'],
  ['{ span.retry_count > -1 }', (span) => attr(span, 'retry_count') !== undefined],
  ['{ span.value != minInt && span.value != maxInt }', (span) => value(span) !== undefined],
  ['{ span.value > 1.5 }', (span) => Number(value(span)) > 1.5],
  [
    '{ span.http.status_code != 200 && span.http.url = "/api" }',
    (span) => url(span) === '/api' && status(span) === 404,
  ],
  [
    '{ span.http.url = "/api" && span.http.status_code != 200 }',
    (span) => url(span) === '/api' && status(span) === 404,
  ],
  [
    '{ span.http.url = "/api" } && { span.http.status_code != 200 }',
    both(
      (span) => url(span) === '/api',
      (span) => !Number.isNaN(status(span)) && status(span) !== 200,
    ),
  ],
];

function average(of: readonly Sent[]): number {
  return of.reduce((sum, { ms }) => sum + ms, 0) / of.length;
}

describe('searches of the documentation of Tempo', () => {
  let tempo: TempoWorld;
  beforeAll(async () => {
    tempo = await startTempoWorld(documented);
  }, 120_000);
  afterAll(() => tempo?.world.stop());

  const named = (trace: string, span: string) => `${trace.padStart(32, '0')} ${span}`;

  it.each(examples)('%s', async (q, matches) => {
    const answer = await tempo.get('search', { q, ...tempo.window(), spss: '0', limit: '100' });
    expect(answer.status, answer.text).toBe(200);
    const found: string[] = answer.json.traces.flatMap(
      ({ traceID, spanSets }: { traceID: string; spanSets: { spans: { spanID: string }[] }[] }) =>
        spanSets.flatMap(({ spans: of }) => of.map(({ spanID }) => named(traceID, spanID))),
    );
    const wanted = spans.filter(matches).map(({ trace, id: span }) => named(trace, span));
    expect(found.sort()).toEqual(wanted.sort());
  });

  it('tells spans apart in all examples but one, and never finds all but where it should', () => {
    const empty = examples.filter(([, matches]) => !spans.some(matches)).map(([q]) => q);
    expect(empty).toEqual(['{ resource.cloud.region = "us-east-1" && resource.cloud.region = "us-west-1" }']);
    const all = examples.filter(([, matches]) => spans.every(matches)).map(([q]) => q);
    expect(all).toEqual(['{} with (most_recent=true)', '{}', '{ }']);
  });
});
