import { type AnyRoute, allRoutes, openApi } from '@fanion/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const document = openApi(allRoutes, { version: '0.0.0', serverUrl: 'http://test' });
const ajv = new Ajv2020({ strict: false, allErrors: true });
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
  const response = operation?.responses[status];
  const name = response?.$ref?.slice('#/components/responses/'.length);
  return name === undefined
    ? [response, pointer('paths', path, method, 'responses', String(status))]
    : [shared[name], pointer('components', 'responses', name)];
}

/**
 * Throws if a response does not match the API document: an undeclared status, or a body that does not match its schema.
 */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const [plain = path] = path.split('?');
  const route: AnyRoute | undefined = matchers.find((m) => m.route.method === method && m.pattern.test(plain))?.route;
  if (route === undefined) return;
  const full = route.prefix + route.path;
  const [response, at] = responseAt(full, method.toLowerCase(), status);
  if (response === undefined)
    throw new Error(
      `${route.id} answered ${status}, which the API document does not have: ${JSON.stringify(body)?.slice(0, 300)}`,
    );
  const media = Object.keys(response.content ?? {})[0];
  if (media !== 'application/json') return;
  const validate =
    validators.get(at) ?? ajv.compile({ $ref: `api#${encodeURI(at + pointer('content', media, 'schema'))}` });
  validators.set(at, validate);
  if (!validate(body))
    throw new Error(
      `${route.id} ${status}: the answer is off its schema: ${ajv.errorsText(validate.errors, { separator: '; ' }).slice(0, 500)}\n${JSON.stringify(body).slice(0, 500)}`,
    );
}
