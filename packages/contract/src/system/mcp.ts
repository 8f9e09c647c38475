import { z } from 'zod';
import { route } from '../route.ts';

export const McpMessage = z.looseObject({ jsonrpc: z.literal('2.0') });

/** What answers a body that is not JSON-RPC. */
export const JsonRpcFailure = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.object({
    code: z
      .int()
      .min(-32_768)
      .max(-32_000)
      .meta({ examples: [-32_700] }),
    message: z.string().meta({ examples: ['what is wrong'] }),
  }),
});

export const postMcp = route({
  id: 'mcp.message',
  method: 'POST',
  prefix: '',
  path: '/mcp',
  example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  summary: 'Model Context Protocol for assistants',
  description:
    'Streamable HTTP without sessions: each POST is answered with JSON. The tools need an API token; each has the permission of the API route that it calls.',
  auth: 'user',
  bodies: 'protocol',
  reads: true,
  status: 200,
  otherStatus: 202,
  body: z.union([McpMessage, z.array(McpMessage)]),
  response: z.union([McpMessage, z.array(McpMessage)]),
  errors: ['CROSS_ORIGIN'],
});
