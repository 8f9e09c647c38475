import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { exchange } from './exchange.ts';
import { protocolError } from './rules.ts';
import { createMcpServer } from './server.ts';

/** The answer to a message or a batch. @param batch most messages at once */
export async function answerBody(
  body: unknown,
  context: Parameters<typeof createMcpServer>[0],
  batch: number,
): Promise<{ readonly status: number; readonly json?: unknown }> {
  const isBatch = Array.isArray(body);
  const wrong = wrongVersion(context.request.headers['mcp-protocol-version']);
  const messages = wrong ?? readMessages(isBatch ? body : [body], batch);
  if (typeof messages === 'string') return { status: 400, json: protocolError(ErrorCode.InvalidRequest, messages) };
  const answers = await exchange(createMcpServer(context), messages, context.signal);
  return answers.length === 0 ? { status: 202 } : { status: 200, json: isBatch ? answers : answers[0] };
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
