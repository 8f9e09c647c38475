import type { Envelope, ErrorBody, Meta } from './envelope.ts';
import type { AnyRoute, RouteBodyInput, RouteParameters, RouteQueryInput, RouteResponse } from './route.ts';

/** A response with an error envelope, or no response (`code` `NET-0000`, `status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly details: ErrorBody['details'];
  readonly retryAfterSeconds: number | undefined;
  constructor(body: ErrorBody, retryAfterSeconds?: number) {
    super(body.message);
    this.code = body.code;
    this.status = body.status;
    this.details = body.details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type Given<Name extends string, T> = unknown extends T
  ? unknown
  : [keyof T] extends [never]
    ? { [K in Name]?: T }
    : Record<never, never> extends T
      ? { [K in Name]?: T }
      : { [K in Name]: T };
export type CallOptions<R extends AnyRoute> = Given<'params', RouteParameters<R>> &
  Given<'query', RouteQueryInput<R>> & { body?: RouteBodyInput<R>; signal?: AbortSignal; idempotencyKey?: string };

export interface Client {
  /** Calls a declared route. Throws `ApiError`; `data` is undefined for 204. */
  call<R extends AnyRoute>(
    route: R,
    options: CallOptions<R>,
  ): Promise<{ data: RouteResponse<R>; meta: Meta; status: number }>;
}

/** Fills in a route's path; percent-encodes every parameter. */
export function routePath(route: AnyRoute, parameters: Readonly<Record<string, string>> = {}): string {
  return (
    route.prefix +
    route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = parameters[name];
      if (value === undefined || value === '')
        throw new TypeError(`${route.id}: the path parameter ${name} is missing`);
      return encodeURIComponent(value);
    })
  );
}

/** A typed client over `fetch`. `headers` are sent with each request. */
export function createClient(options: {
  baseUrl: string;
  fetch?: typeof fetch;
  headers?: Readonly<Record<string, string>>;
}): Client {
  const request = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  return {
    async call(route, given) {
      const { params, query, body, signal, idempotencyKey } = given as {
        params?: Record<string, string>;
        query?: Record<string, unknown>;
        body?: unknown;
        signal?: AbortSignal;
        idempotencyKey?: string;
      };
      const search = new URLSearchParams();
      for (const [key, value] of Object.entries(query ?? {}))
        if (value !== undefined && value !== null) search.set(key, String(value));
      const url = `${options.baseUrl}${routePath(route, params)}${search.size > 0 ? `?${search}` : ''}`;
      const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
      if (body !== undefined) headers['content-type'] = 'application/json';
      if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
      const response = await request(url, {
        method: route.method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      }).catch((cause: unknown) => {
        if (signal?.aborted) throw cause;
        throw new ApiError({ code: 'NET-0000', message: 'the server cannot be reached', status: 0 });
      });
      if (response.status === 204)
        return {
          data: undefined as never,
          meta: { request_id: response.headers.get('x-request-id') ?? '' },
          status: 204,
        };
      const envelope = (await response.json().catch(() => null)) as Envelope<unknown> | null;
      if (envelope === null || envelope.error !== null || !response.ok) {
        const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
        throw new ApiError(
          envelope?.error ?? {
            code: 'NET-0001',
            message: `the server answered ${response.status} without a body that can be read`,
            status: response.status,
          },
          Number.isFinite(retryAfter) ? retryAfter : undefined,
        );
      }
      return { data: envelope.data as never, meta: envelope.meta, status: response.status };
    },
  };
}
