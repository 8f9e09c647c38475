import { bytes, count, setting } from '../../../platform/settings.ts';

export const mcpSettings = {
  rows: setting('FANION_MCP_ROWS', count(1, 500).default(200), {
    help: 'Rows or list items in one answer to an assistant; the answer says when there are more',
  }),
  bytes: setting('FANION_MCP_BYTES', bytes(4_096, 4_194_304).default(65_536), {
    help: 'Length of one answer to an assistant; a longer one is cut, and says so',
  }),
  batch: setting('FANION_MCP_BATCH', count(1, 100).default(10), {
    help: 'JSON-RPC messages in one request of an assistant',
  }),
};
