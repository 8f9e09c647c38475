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

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/**
 * Throws if a response does not match the API document: an undeclared status, or a body that does not match its schema.
 */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const [plain = path] = path.split('?');
  const route: AnyRoute | undefined = matchers.find((m) => m.route.method === method && m.pattern.test(plain))?.route;
  if (route === undefined) return;
  const full = route.prefix + route.path;
  const operation = (document as { paths: Record<string, Record<string, Operation>> }).paths[full]?.[
    method.toLowerCase()
  ];
  const response = operation?.responses[status];
  if (response === undefined)
    throw new Error(
      `${route.id} answered ${status}, which the API document does not have: ${JSON.stringify(body)?.slice(0, 300)}`,
    );
  const media = Object.keys(response.content ?? {})[0];
  if (media !== 'application/json') return;
  const key = `${route.id} ${status}`;
  const validate =
    validators.get(key) ??
    ajv.compile({
      $ref: `api#${encodeURI(pointer('paths', full, method.toLowerCase(), 'responses', String(status), 'content', media, 'schema'))}`,
    });
  validators.set(key, validate);
  if (!validate(body))
    throw new Error(
      `${key}: the answer is off its schema: ${ajv.errorsText(validate.errors, { separator: '; ' }).slice(0, 500)}\n${JSON.stringify(body).slice(0, 500)}`,
    );
}
