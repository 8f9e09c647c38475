import { setTimeout as sleep } from 'node:timers/promises';

/** A session of Fanion's JSON API like a browser's: a cookie, and an Origin header on writes. */
export interface ApiClient {
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** The `meta` of an answer, which says how complete it is. */
  metaOf(path: string, body: unknown): Promise<unknown>;
  put(path: string, body: unknown): Promise<unknown>;
  delete(path: string): Promise<void>;
}

/** An error response, with the code and message of the API's error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const TRIES = 5;
const TIMEOUT_MS = 15_000;
const MAX_WAIT_S = 10;

/** Creates a client that keeps its session cookie, and retries 429 and 503 after `Retry-After`. */
export function createApiClient(endpoint: string): ApiClient {
  const { origin } = new URL(endpoint);
  let cookie: string | undefined;

  async function call(method: string, path: string, body?: unknown): Promise<Envelope> {
    for (let tries = 1; ; tries++) {
      const response = await fetch(new URL(path, endpoint), {
        method,
        headers: {
          ...(method === 'GET' ? {} : { origin }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(cookie === undefined ? {} : { cookie }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]);
      if (cookies.length > 0) cookie = cookies.join('; ');
      const text = await response.text();
      if (response.ok) return text === '' ? {} : envelope(text);
      if ((response.status === 429 || response.status === 503) && tries < TRIES) {
        const seconds = Number(response.headers.get('retry-after') ?? 1);
        // Somebody waits at the terminal: reporting a limit that lasts minutes is better than waiting.
        if (seconds <= MAX_WAIT_S) {
          await sleep(1000 * Math.max(seconds, 0.2));
          continue;
        }
      }
      const { error } = envelope(text);
      throw new ApiError(
        response.status,
        typeof error?.code === 'string' ? error.code : '',
        typeof error?.message === 'string' ? error.message : `${method} ${path} answered ${response.status}`,
      );
    }
  }

  return {
    get: async (path) => (await call('GET', path)).data,
    post: async (path, body) => (await call('POST', path, body)).data,
    metaOf: async (path, body) => (await call('POST', path, body)).meta,
    put: async (path, body) => (await call('PUT', path, body)).data,
    delete: async (path) => void (await call('DELETE', path)),
  };
}

interface Envelope {
  data?: unknown;
  meta?: unknown;
  error?: { code?: unknown; message?: unknown };
}

function envelope(text: string): Envelope {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    // Not a response of the API, for example a proxy's page: the status is enough.
    return {};
  }
}

/** A property of a response, which must be an object with that property. */
export function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !(name in value)) {
    throw new Error(`the server's response has no "${name}"`);
  }
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** A property that must be a string. */
export function text(value: unknown, name: string): string {
  const found = property(value, name);
  if (typeof found !== 'string') throw new Error(`"${name}" in the server's response is not a string`);
  return found;
}

/** A response that must be a list. */
export function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error("the server's answer is not a list");
  return value;
}
