import { parse } from 'node:querystring';
import { type AnyRoute, bodyLimits } from '@fanion/contract';
import { followedBy } from '../platform/followed-by.ts';
import { uncountedBytes } from './body-budgets.ts';
import type { Credentials, SdkCaller } from './caller.ts';
import type { AnyPlainAnswer, MountedRoute } from './context.ts';
import { credentialsIn } from './identify.ts';
import { parseJson } from './json-body.ts';
import { foreignOrigin } from './page-origins.ts';
import type { RawAnswer, RawRouter } from './raw.ts';
import type { PlainMethod, PlainRequest } from './raw-parse.ts';

/** Undefined: the request is not that plain, and goes to Node's server as if nothing of it had been read. */
type Taken = RawAnswer | undefined;

/** Answers a request from the bytes of its connection. It never throws and never rejects. @param address of the client */
export type PlainHandler = (request: PlainRequest, address: () => string) => Taken | Promise<Taken>;

export type PlainRouter = (method: PlainMethod, url: string) => PlainHandler | undefined;

/** Raw routes answer every request, errors too. Others are for the second router. */
export function rawFirst(raw: RawRouter, second: PlainRouter = () => undefined): PlainRouter {
  return (method, url) => {
    const match = raw(method, url);
    return match === undefined ? second(method, url) : (request) => match.handler(request, match.parameter);
  };
}

export interface PlainDependencies {
  /** Throws a `Failure` for an invalid SDK key. Synchronous if the key is known. */
  readonly sdkCaller: (credentials: Credentials) => SdkCaller | Promise<SdkCaller>;
  readonly maxBodyBytes: number;
  /** Whether `X-Forwarded-For` names the client. */
  readonly trustProxy: boolean;
  /** Counts answers by route and status. */
  readonly answered: (route: string, status: number) => void;
}

/**
 * Routes that are answered without the framework where a request is plain (`plain` of `context.ts`). Only success is answered here:
 * whatever is refused or rare goes to the framework, so that rules and errors exist once.
 */
export function plainRouter(mounted: readonly MountedRoute[], dependencies: PlainDependencies): PlainRouter {
  const routes = mounted.flatMap(({ route, plain }) => (plain === undefined ? [] : [plainRoute(route, plain)]));
  return (method, url) => {
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    for (const { route, plain, start, form } of routes) {
      if (route.method !== method || !path.startsWith(start)) continue;
      const params = form.exec(path)?.groups;
      if (params === undefined) continue;
      const asked = { route, plain, params, query: at < 0 ? '' : url.slice(at + 1) };
      return (request, address) => answerPlainly(asked, { request, address }, dependencies);
    }
    return undefined;
  };
}

interface Asked {
  readonly route: AnyRoute;
  readonly plain: AnyPlainAnswer;
  /** As in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
}

function plainRoute(route: AnyRoute, plain: AnyPlainAnswer) {
  const path = route.prefix + route.path;
  const form = path
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)\}$/, route.longParameter ? '(?<$1>.+)' : '(?<$1>[^/]+)')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const [start = ''] = path.split('{');
  // Without a parameter there would be no groups.
  return { route, plain, start, form: new RegExp(`^(?<path>${form})${route.trailingSlash ? '/?' : ''}$`) };
}

function answerPlainly(
  { route, plain, params: inPath, query: inUrl }: Asked,
  { request, address }: { readonly request: PlainRequest; readonly address: () => string },
  { sdkCaller, maxBodyBytes, trustProxy, answered }: PlainDependencies,
): Taken | Promise<Taken> {
  const { url, headers, body } = request;
  const finished = (caller: SdkCaller, answer: RawAnswer): RawAnswer => {
    answered(route.id, answer.status);
    const allowed = foreignOrigin(caller, headers.origin);
    return allowed === undefined ? answer : { ...answer, headers: { ...answer.headers, ...allowed } };
  };
  return untaken(() => {
    if (!hasPlainBody(request, maxBodyBytes)) return undefined;
    const params = decoded(inPath);
    const query = queryOf(route, inUrl);
    if (params === undefined || query === undefined) return undefined;
    const asked = (caller: SdkCaller) => {
      const made = plain({
        ...{ caller, params, query, url, headers, bodyBytes: body.length },
        body: parseJson(body, bodyLimits[route.bodyLimit]),
        ip: () => (trustProxy && firstOf(headers['x-forwarded-for'])) || address(),
      });
      return followedBy(made, (answer) => finished(caller, answer));
    };
    return followedBy(sdkCaller(credentialsIn(route, { headers, params, query })), asked);
  });
}

/** Whatever was thrown is thrown again where it becomes an error of the protocol. */
function untaken(answer: () => Taken | Promise<Taken>): Taken | Promise<Taken> {
  try {
    const made = answer();
    return made instanceof Promise ? made.catch(() => undefined) : made;
  } catch {
    return undefined;
  }
}

const jsonType = /^application\/json(?:; ?charset=utf-8)?$/i;

function hasPlainBody({ method, headers, body }: PlainRequest, maxBodyBytes: number): boolean {
  if (headers['content-encoding'] !== undefined) return false;
  if (method === 'GET') return true;
  return (
    body.length > 0 &&
    body.length <= Math.min(uncountedBytes, maxBodyBytes) &&
    jsonType.test(headers['content-type'] ?? '')
  );
}

/** Undefined if a parameter cannot be decoded, or can be nothing that is known. */
function decoded({
  path: _,
  ...params
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    found[name] = value.includes('%') ? decodeURIComponent(value) : value;
    if (found[name].includes('\0')) return undefined;
  }
  return found;
}

/** Undefined if it is not as the route declares it, or has a name twice. */
function queryOf({ query }: AnyRoute, text: string): unknown {
  // Throws where two decoders could differ.
  decodeURIComponent(text);
  const values = parse(text);
  if (Object.values(values).some((value) => typeof value !== 'string' || value.includes('\0'))) return undefined;
  return query.safeParse(values).data;
}

/** The first of those that proxies have added. */
function firstOf(addresses: string | string[] | undefined): string | undefined {
  return typeof addresses === 'string' ? addresses.split(',')[0]?.trim() : undefined;
}
