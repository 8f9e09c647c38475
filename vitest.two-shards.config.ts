import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import base from './vitest.config.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** The server's client of the telemetry store asks both ways. */
const bothWays: Plugin = {
  name: 'both-ways',
  enforce: 'pre',
  resolveId(source, importer) {
    const isClient = source === './client.ts' && importer?.endsWith('platform/clickhouse/index.ts');
    return isClient ? `${root}test/two-shards/both-ways.ts` : undefined;
  },
};

export default defineConfig({
  plugins: [bothWays],
  resolve: base.resolve,
  test: {
    ...base.test,
    projects: undefined,
    include: ['packages/server/src/{features,platform/gateway,platform/arrivals,platform/recent-points}/**/*.test.ts'],
    isolate: false,
    setupFiles: ['./test/two-shards/check-differences.ts'],
  },
});
