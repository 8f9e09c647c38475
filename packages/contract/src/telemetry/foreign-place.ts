import { z } from 'zod';
import type { ErrorName } from '../errors.ts';
import { route } from '../route.ts';

const text = z.string().optional();

/** Whose telemetry a request of another product's client reads, in the query of its address. */
export const ForeignPlace = {
  project: text.meta({ description: 'id or key of a project; default: that of the token, or all' }),
  environment: text.meta({ description: 'key of an environment; default: that of the token, or all' }),
};

/** What all routes have for clients of other products that read telemetry. */
export const foreignRead = {
  auth: 'user',
  permission: 'telemetry:query',
  callerWorkspace: true,
  scopeIn: 'query',
  isForeign: true,
  bodies: 'protocol',
} as const;

/** Declares the routes of another product's HTTP API that read, by GET and by POST with a form. */
export function foreignReads(api: {
  readonly product: 'prometheus' | 'loki';
  readonly path: string;
  readonly response: z.ZodType;
  readonly errors: readonly ErrorName[];
}) {
  const { product, path, response, errors } = api;
  const title = product.charAt(0).toUpperCase() + product.slice(1);

  function read(
    name: string,
    summary: string,
    query: z.ZodRawShape = {},
    example: Readonly<Record<string, string>> = {},
  ) {
    return route({
      id: `${product}.${name.replaceAll('/', '_').replace(/[{}]/g, '')}`,
      method: 'GET',
      path: `${path}/${name}` as string,
      prefix: '',
      summary: `${title}: ${summary}`,
      ...foreignRead,
      query: { ...query, ...ForeignPlace },
      response,
      errors,
      example: { query: example },
    });
  }

  /** The same with its parameters in a form. */
  function form(of: ReturnType<typeof read>) {
    return route({
      ...of,
      id: `${of.id}_form`,
      method: 'POST',
      summary: `${of.summary}, with a form`,
      callerWorkspace: true,
      reads: true,
      query: of.query.shape,
      body: z.unknown().optional(),
      bodyLimit: 'ordinary',
      requestMedia: ['application/x-www-form-urlencoded'],
    });
  }

  return { read, form };
}
