import { routePath } from '@fanion/contract';
import type { FastifyRequest } from 'fastify';
import type { TokenCaller } from '../../../http/caller.ts';
import { type Bounds, bound } from './rules.ts';
import { fieldsOf, type Tool } from './tools.ts';

export interface CallContext {
  readonly request: FastifyRequest;
  readonly caller: TokenCaller;
  readonly bounds: Bounds;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface ToolAnswer {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Calls the tool's route as the token would over HTTP. */
export async function callTool(asked: Tool, given: Arguments, context: CallContext): Promise<ToolAnswer> {
  const one = asked.withArgument !== undefined && asked.withArgument.name in given ? asked.withArgument.tool : asked;
  const fields = fieldsOf(one);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    return failed(`unknown argument ${JSON.stringify(unknown)}; use ${Object.keys(fields).join(', ')}`);
  const params: Record<string, string> = { ws: context.caller.workspaceId };
  for (const [parameter, argument] of Object.entries(one.path)) {
    const value = given[argument];
    if (typeof value !== 'string' || value === '') return failed(`missing argument ${argument}: give it as a string`);
    params[parameter] = value;
  }
  const { status, text } = await send(one, params, inputOf(one, given, context.bounds), context);
  const answer: unknown = parse(text);
  if (!isEnvelope(answer)) return failed(`the server answered ${status}; try again`);
  if (answer.error) return failed(bound({ error: answer.error }, { ...context.bounds, rows: 20 }).text);
  const { request_id: _, ...meta } = answer.meta;
  const { text: shown, cut } = bound({ data: answer.data, meta }, context.bounds);
  const content = [{ type: 'text' as const, text: shown }];
  const more = cut ? cutText(fields) : moreText(meta, fields);
  if (more !== undefined) content.push({ type: 'text', text: more });
  return { content };
}

export function failed(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }], isError: true };
}

/** The cursor would skip what was cut. */
function cutText(fields: object): string {
  const less = 'limit' in fields ? 'ask with a smaller `limit`, or ' : '';
  return `This answer was cut: it is too long. To see all of it, ${less}narrow the request.`;
}

function moreText(meta: Envelope['meta'], fields: object): string | undefined {
  if ('cursor' in fields && typeof meta.next_cursor === 'string')
    return 'This answer was cut: there are more items. Send meta.next_cursor as `cursor` for the next ones.';
  if (meta.truncated !== true) return undefined;
  return 'This answer was cut: there are more rows than `limit`. Narrow or aggregate the query.';
}

/** The fields of the query or body, with the row limit. */
function inputOf({ route, path, fixed, limit }: Tool, given: Arguments, { rows }: Bounds): Record<string, unknown> {
  const inPath = new Set(Object.values(path));
  const input = Object.fromEntries(Object.entries(given).filter(([name]) => !inPath.has(name)));
  if (limit !== undefined) {
    const asked = input[limit];
    if (asked === undefined) input[limit] = Math.min(rows, route.list ? route.pageSize : rows);
    else if (typeof asked === 'number') input[limit] = Math.min(asked, rows);
  }
  return { ...input, ...fixed };
}

async function send(
  { route }: Tool,
  params: Readonly<Record<string, string>>,
  input: Readonly<Record<string, unknown>>,
  { request, signal }: CallContext,
): Promise<{ status: number; text: string }> {
  const inQuery = Object.entries(input).filter(([name]) => Object.hasOwn(route.query.shape, name));
  const inBody = Object.entries(input).filter(([name]) => !Object.hasOwn(route.query.shape, name));
  const answer = await request.server.inject({
    method: route.method,
    url: routePath(route, params),
    query: Object.fromEntries(inQuery.map(([name, value]) => [name, String(value)])),
    headers: {
      authorization: request.headers.authorization ?? '',
      host: request.headers.host ?? 'localhost',
      accept: 'application/json',
      'user-agent': request.headers['user-agent'] ?? 'mcp',
      'x-request-id': request.id,
    },
    remoteAddress: request.ip,
    signal,
    ...(route.method !== 'GET' && { payload: Object.fromEntries(inBody) }),
  });
  return { status: answer.statusCode, text: answer.body };
}

interface Envelope {
  readonly data: unknown;
  readonly error: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'meta' in value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
