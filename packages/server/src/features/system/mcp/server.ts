import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { UserCaller } from '../../../http/caller.ts';
import { version } from '../../../version.ts';
import { type CallContext, callTool, failed } from './call.ts';
import { reference } from './reference.ts';
import { inputSchema, type Tool, tools } from './tools.ts';

const instructions =
  'Investigate with query, contrast and get_trace. Read the resource oql://reference before the first query. Flags change only by propose_flag_change, which waits for a person.';

const listed = tools.map((one) => ({
  name: one.name,
  description: one.description,
  inputSchema: inputSchema(one),
  annotations: { readOnlyHint: one.name !== 'propose_flag_change', destructiveHint: false, openWorldHint: false },
}));

const resources = [
  { uri: 'oql://reference', name: 'OQL reference', mimeType: 'text/markdown' },
  { uri: 'oql://fields', name: 'Fields of the workspace', mimeType: 'application/json' },
];

/** A server for one request. */
export function createMcpServer(context: Omit<CallContext, 'caller'> & { readonly caller: UserCaller }): Server {
  const server = new Server({ name: 'fanion', version }, { capabilities: { tools: {}, resources: {} }, instructions });
  const call = async (one: Tool, given: Readonly<Record<string, unknown>>) => {
    const { caller } = context;
    if (caller.kind !== 'token') return failed('tools need an API token: send it as Authorization: Bearer svc_pat_…');
    return callTool(one, given, { ...context, caller });
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
    call(toolNamed(params.name), params.arguments ?? {}),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    if (uri === 'oql://reference') return { contents: [{ uri, mimeType: 'text/markdown', text: reference() }] };
    if (uri !== 'oql://fields') throw new McpError(-32002, `unknown resource ${uri}; see resources/list`);
    const { content, isError } = await call(toolNamed('list_fields'), {});
    const text = content.map((part) => part.text).join('\n');
    if (isError) throw new McpError(ErrorCode.InvalidRequest, text);
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  });
  return server;
}

function toolNamed(name: string): Tool {
  const found = tools.find((one) => one.name === name);
  if (found === undefined) throw new McpError(ErrorCode.InvalidParams, `unknown tool ${name}; see tools/list`);
  return found;
}
