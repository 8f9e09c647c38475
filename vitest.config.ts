import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = fileURLToPath(new URL('./packages', import.meta.url));

// Tests import workspace packages from their sources, so nothing stale is ever tested;
// child processes and worker threads run from dist, which `npm test` builds first.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@fanion\/oql\/editor$/, replacement: `${packages}/oql/src/editor/index.ts` },
      { find: /^@fanion\/([a-z-]+)$/, replacement: `${packages}/$1/src/index.ts` },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    maxWorkers: 2,
    // Whole servers and databases start in these tests, on machines that do other things too.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Vitest's own second is too short for a condition on such a machine; whoever waits in vain has found a fault.
    expect: { poll: { timeout: 40_000, interval: 20 } },
  },
});
