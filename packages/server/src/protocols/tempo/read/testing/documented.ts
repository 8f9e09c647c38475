import { type Fixture, id, type Sent } from './shop.ts';

/** Spans for the queries that Tempo's documentation has as examples. Each of them finds some here, and leaves out others. */

export const [first, second, third, fourth, fifth] = [
  '1234567890abcde',
  '1234',
  '3f7651916cd43dd8448eb211c80319c0',
  '4f7651916cd43dd8448eb211c80319c0',
  '5f7651916cd43dd8448eb211c80319c0',
].map((trace) => trace.padStart(32, '0')) as [string, string, string, string, string];

type More = Partial<Omit<Sent, 'trace' | 'id' | 'parent'>>;

function span(
  trace: string,
  number: number,
  parent: number | undefined,
  service: string,
  name: string,
  more: More,
): Sent {
  return {
    ...{ trace, id: id(number), service, name, kind: 'internal', at: 0, ms: 1 },
    ...(parent !== undefined && { parent: id(parent) }),
    ...more,
  };
}

const http = (code: number | string, more: Sent['attributes'] = {}) => ({ 'http.status_code': code, ...more });

export const spans: readonly Sent[] = [
  span(first, 0x01, undefined, 'gateway', 'HTTP GET', { kind: 'server', ms: 6_000, ok: true }),
  span(first, 0x02, 0x01, 'frontend', 'POST /api/orders', {
    ...{ kind: 'server', at: 10, ms: 150, error: true, message: 'Forbidden' },
    attributes: http(500, {
      ...{ 'http.method': 'POST', 'http.url': '/path/of/api', 'http.target': '/orders', foo: 'bar', value: 3 },
      ...{ 'http.request.header.Accept': 'application/json', retry_count: 0, any_attribute: 'x' },
      'http.request_content_length': 20_971_520,
    }),
  }),
  span(first, 0x03, 0x02, 'productcatalogservice', 'GET /:endpoint', {
    ...{ kind: 'client', at: 20, ms: 80, ok: true },
    attributes: http(200, {
      ...{ 'http.method': 'GET', 'http.url': '/api', 'http.target': '/a', 'http.response.size': 512 },
      ...{ 'db.system': 'postgresql', 'db.name': 'db-shard-001', 'http.response.body.size': 2_097_152 },
      ...{ bytesProcessed: 600_000_000, 'http.request.header.Accept': 'text/html' },
    }),
  }),
  span(first, 0x04, 0x02, 'frontend', 'GET /:endpoint', {
    ...{ at: 30, ms: 1_200, error: true },
    attributes: http(404, {
      ...{ 'http.method': 'DELETE', 'http.url': '/api', 'http.target': '/b', 'http.response.size': 128 },
      ...{ bytesProcessed: 500_000_000, value: 1 },
    }),
  }),
  span(first, 0x05, 0x04, 'api', 'HTTP POST', {
    ...{ kind: 'client', at: 40, ms: 3 },
    attributes: http('400', { value: 0.5, required_field: true }),
    event: { name: 'exception', attributes: { 'exception.message': 'oh, something went wrong here', foo: 'bar' } },
  }),
  span(first, 0x06, 0x04, 'frontend', 'GET /api/products/{id}', {
    ...{ kind: 'server', at: 50, ms: 20, ok: true },
    attributes: http(200, { 'http.method': 'GET', 'service.name': 'frontend', foo: 'baz' }),
  }),
  span(second, 0x11, undefined, 'foo', 'POST /api/orders', {
    ...{ kind: 'server', at: 1_000, ms: 60, error: true },
    attributes: http(500, { 'http.route': '/r', 'http.url': '/u1', 'attribute name with space': 'value' }),
  }),
  span(second, 0x12, 0x11, 'foo', 'GET /:endpoint', {
    ...{ at: 1_010, ms: 40, ok: true },
    attributes: http(200, {
      ...{ 'http.target': '/a', 'http.response.size': 64, 'http.url': '/u2' },
      'attribute.attribute name with space': 'value',
    }),
    link: { trace: first, span: id(1), attributes: { 'opentracing.ref_type': 'child_of', foo: 'bar' } },
  }),
  span(second, 0x13, 0x11, 'db', 'foo', {
    ...{ kind: 'client', at: 1_020, ms: 2 },
    attributes: { 'db.system': 'mysql', optional_field: 1 },
    event: { name: 'foo' },
  }),
  span(second, 0x14, 0x12, 'foo', 'bar', { at: 1_030, ms: 4, ok: true, link: { trace: second, span: id(0x11) } }),
  span(third, 0x21, undefined, 'frontend', 'POST /api/orders', {
    ...{ kind: 'server', at: 2_000, ms: 2_500 },
    attributes: http(200),
  }),
  ...Array.from({ length: 32 }, (_, i) =>
    span(third, 0x22 + i, 0x21, 'frontend', 'step', { at: 2_100 + i, ...(i < 4 && { attributes: http(200) }) }),
  ),
  span(fourth, 0x51, undefined, 'a', 'perf test', {
    ...{ kind: 'server', at: 3_000, ms: 30 },
    attributes: http(200, { 'http.path': '/myapi' }),
  }),
  span(fourth, 0x52, 0x51, 'a', 'check', { at: 3_001, ms: 9, error: true, attributes: { 'http.path': '/myapi' } }),
  span(fourth, 0x53, 0x51, 'checkout-service', 'pay', { kind: 'server', at: 3_002, ms: 7, error: true }),
  span(fourth, 0x54, 0x51, 'frontend', 'perf page', { at: 3_003, ms: 2, error: true }),
  span(fifth, 0x61, undefined, 'api', 'report', { kind: 'server', at: 4_000, ms: 5_500 }),
];

/** Without a name, the environment would be that of the token that sends the spans. */
const unnamed = { 'deployment.environment': 'development' };

const resources: Readonly<Record<string, NonNullable<Sent['attributes']>>> = {
  frontend: {
    ...{ 'service.namespace': 'ecommerce', 'service.version': '1', 'deployment.environment': 'production' },
    ...{ 'cloud.region': 'us-east-1', 'k8s.cluster.name': 'service-name', foo: 'bar' },
  },
  productcatalogservice: { 'deployment.environment': 'staging', 'cloud.region': 'us-west-1' },
  foo: { 'deployment.environment': 'prod-eu' },
  api: { 'service.namespace': 'ditl-demo-prod' },
  a: { 'service.namespace': 'ditl-demo-prod' },
};

export const documented: Fixture = {
  spans,
  resourceOf: (service) => ({ ...unnamed, ...resources[service] }),
  scopeOf: (service) =>
    service === 'foo'
      ? { name: 'grpc', version: '1.0.0', attributes: { language: 'java' } }
      : { name: 'lib', version: '2' },
};

export const attr = ({ attributes }: Sent, name: string) => attributes?.[name];
export const ofResource = ({ service }: Sent, name: string) => resources[service]?.[name];
export const parentOf = (span: Sent) => spans.find(({ trace, id }) => trace === span.trace && id === span.parent);
export const childrenOf = (span: Sent) => spans.filter((other) => parentOf(other) === span);
export const inTrace = (span: Sent, matches: (other: Sent) => unknown) =>
  spans.filter((other) => other.trace === span.trace && matches(other));
export function ancestorsOf(span: Sent): Sent[] {
  const parent = parentOf(span);
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}
