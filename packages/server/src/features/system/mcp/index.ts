import { mcpRoutes } from '@fanion/contract';
import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { Config } from '../../../config.ts';
import { implement, type MountedRoute, type SendFailure } from '../../../http/context.ts';
import { sendFailure, toFailure } from '../../../http/envelope.ts';
import { sameOrigin } from '../../../http/same-origin.ts';
import { fail } from '../../../platform/fail.ts';
import type { Feature } from '../../feature.ts';
import { exchange } from './exchange.ts';
import { createMcpServer } from './server.ts';

/** The Model Context Protocol, for assistants: https://modelcontextprotocol.io/specification, streamable HTTP. */
export const mcpFeature = { name: 'system/mcp', routes: handlers } satisfies Feature;

function handlers({ config }: { config: Config }): MountedRoute[] {
  const { mcp: limits, baseUrl } = config;
  return implement(
    mcpRoutes,
    {
      async postMcp({ request, reply, caller, signal }) {
        // The protocol demands this check of every request: a page of another origin may rebind its name to this server.
        if (!sameOrigin(request, baseUrl, false)) throw fail('CROSS_ORIGIN', { origin: baseUrl ?? 'the same origin' });
        const body = request.body as unknown;
        const isBatch = Array.isArray(body);
        const messages = readMessages(isBatch ? body : [body], limits.batch);
        const wrong =
          wrongVersion(request.headers['mcp-protocol-version']) ??
          (typeof messages === 'string' ? messages : undefined);
        if (wrong !== undefined || typeof messages === 'string') {
          reply.code(400).send(protocolError(ErrorCode.InvalidRequest, wrong ?? ''));
          return undefined;
        }
        const server = createMcpServer({ request, caller, signal, bounds: limits });
        const answers = await exchange(server, messages, signal);
        if (answers.length === 0) reply.code(202).send();
        else
          reply
            .code(200)
            .type('application/json; charset=utf-8')
            .send(isBatch ? answers : answers[0]);
        return undefined;
      },
    },
    sendMcpFailure,
  );
}

/** The messages, or why they are not valid. */
function readMessages(given: readonly unknown[], most: number): JSONRPCMessage[] | string {
  if (given.length === 0) return 'the batch is empty: send at least one message';
  if (given.length > most) return `the batch has more than ${most} messages: send fewer`;
  const messages: JSONRPCMessage[] = [];
  for (const one of given) {
    const parsed = JSONRPCMessageSchema.safeParse(one);
    if (!parsed.success) return 'not a JSON-RPC 2.0 message: send jsonrpc, id and method';
    messages.push(parsed.data);
  }
  return messages;
}

function wrongVersion(given: string | string[] | undefined): string | undefined {
  if (given === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(given))) return undefined;
  return `unsupported MCP-Protocol-Version; supported: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`;
}

const protocolError = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } });

/** Unreadable JSON is an error of JSON-RPC; a refused credential or origin is one of HTTP. */
const sendMcpFailure: SendFailure = (error, request, reply) => {
  const failure = toFailure(error, request);
  if (failure.error !== 'MALFORMED_BODY') return sendFailure(failure, request, reply);
  return reply
    .code(400)
    .type('application/json; charset=utf-8')
    .send(protocolError(ErrorCode.ParseError, failure.message));
};
