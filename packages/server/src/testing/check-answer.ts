import { type AnyRoute, allRoutes, errors, openApi } from '@fanion/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const document = openApi(allRoutes, { version: '0.0.0', serverUrl: 'http://test' });
// Each schema is compiled once and checks a few answers, so no work is spent on its code: that halves the time of compiling.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
addFormats.default(ajv);
ajv.addSchema(document, 'api');

const matchers = allRoutes.map((route) => ({
  route,
  pattern: new RegExp(`^${(route.prefix + route.path).replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}));
// A literal segment goes before a parameter, as in the server's router.
matchers.sort((a, b) => a.route.path.split('{').length - b.route.path.split('{').length);
const validators = new Map<string, ValidateFunction>();

const pointer = (...segments: string[]) =>
  segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

interface Response {
  /** Of a response that several operations share. */
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}
const { responses: shared } = document.components as { responses: Readonly<Record<string, Response>> };

/** A response of an operation, and where it is in the document. */
function responseAt(path: string, method: string, status: number): [Response | undefined, string] {
  const operation = (document as { paths: Record<string, Record<string, Operation>> }).paths[path]?.[method];
  const key = operation?.responses[status] === undefined ? `${Math.floor(status / 100)}XX` : String(status);
  const response = operation?.responses[key];
  const name = response?.$ref?.slice('#/components/responses/'.length);
  return name === undefined
    ? [response, pointer('paths', path, method, 'responses', key)]
    : [shared[name], pointer('components', 'responses', name)];
}

/** What a client gets for a request. */
export interface Answer {
  readonly method: string;
  /** With or without a query string. */
  readonly path: string;
  readonly status: number;
  /** The `Content-Type`; empty: none. */
  readonly type: string;
  /** Undefined: the body is not known, so only the status and the media type are checked. */
  readonly body: string | undefined;
}

/** The client closed the connection, so nobody reads the answer. */
const CLIENT_CLOSED = 499;

/**
 * How an answer contradicts the API document: an undeclared status or media type, or a body that is off its schema.
 * Undefined: it does not, or the document has no such operation.
 */
export function mismatchOf({ method, path, status, type, body }: Answer): string | undefined {
  const [plain = path] = path.split('?');
  const route: AnyRoute | undefined = matchers.find((m) => m.route.method === method && m.pattern.test(plain))?.route;
  if (route === undefined || status === CLIENT_CLOSED) return undefined;
  // The document's paths take less than this file's patterns, and a test may mount a few features only.
  if (status === 404 && body?.includes(errors.ROUTE_NOT_FOUND.code)) return undefined;
  const told = `${method} ${plain} (${route.id}) answered ${status}`;
  const [response, at] = responseAt(route.prefix + route.path, method.toLowerCase(), status);
  if (response === undefined) return `${told}, which the API document does not have: ${body?.slice(0, 300)}`;
  const [sent = ''] = type.split(';');
  const media = Object.keys(response.content ?? {});
  if (body !== '' && !media.includes(sent))
    return `${told} with the media type "${sent}"; the API document has ${media.join(', ') || 'no body'}`;
  if (sent !== 'application/json' || body === undefined) return undefined;
  const validate =
    validators.get(at) ?? ajv.compile({ $ref: `api#${encodeURI(at + pointer('content', sent, 'schema'))}` });
  validators.set(at, validate);
  if (validate(JSON.parse(body))) return undefined;
  const wrong = ajv.errorsText(validate.errors, { separator: '; ' }).slice(0, 500);
  return `${told} with a body that is off its schema: ${wrong}\n${body.slice(0, 500)}`;
}
