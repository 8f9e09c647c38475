import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { testFilesByTier } from './test/support/tiers.ts';
import base from './vitest.config.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** What these features ask is in no other file. */
const folders = ['features', 'protocols', 'platform/gateway', 'platform/arrivals'].map(
  (name) => `packages/server/src/${name}/`,
);
/** These read no telemetry, or wait for what further reads delay or need memory for. */
const left =
  /\/(?:identity\/(?!projects|removal)|alerting\/(?!alert-rules)|dashboards\/(?!.*data\.test)|flags\/(?!exposures)|ingest\/(?!round-trip)|query\/(?:time-limit|large-results)|protocols\/\w+\/ingest|compiler)/;
const tiers = testFilesByTier(root);
const files = [...tiers.store, ...tiers.system].filter(
  (file) => folders.some((folder) => file.startsWith(folder)) && !left.test(file),
);

/** The server's client of the telemetry store asks both ways. */
const bothWays: Plugin = {
  name: 'both-ways',
  enforce: 'pre',
  resolveId(source, importer) {
    const isClient =
      source === './client.ts' && /platform\/clickhouse\/(?:index|several-hosts)\.ts$/.test(importer ?? '');
    return isClient ? `${root}test/two-shards/both-ways.ts` : undefined;
  },
};

export default defineConfig({
  plugins: [bothWays],
  resolve: base.resolve,
  test: {
    ...base.test,
    projects: undefined,
    include: files,
    isolate: false,
    // Each read is asked three times more.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: ['./test/support/leftovers.ts', './test/two-shards/every-statement.ts'],
    setupFiles: ['./test/two-shards/check-differences.ts'],
  },
});
