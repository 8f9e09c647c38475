import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { TIERS, testFilesByTier } from './test/support/tiers.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const files = testFilesByTier(root);
/** Files that replace modules for themselves, which would reach the files after them in the same worker. */
const alone = ['packages/web/src/api/no-validation.test.ts'];

function project(name: string, include: readonly string[], isolate: boolean): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include: [...include], isolate } };
}

// Tests import workspace packages from their sources, so nothing stale is ever tested;
// child processes and worker threads run from dist, which `npm test` builds first.
// Files of a worker run one after another and share its modules, so that these are read once, and its started stores.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@fanion\/oql\/(editor|promql|recent)$/, replacement: `${root}packages/oql/src/$1/index.ts` },
      { find: /^@fanion\/([a-z-]+)$/, replacement: `${root}packages/$1/src/index.ts` },
    ],
  },
  test: {
    projects: TIERS.flatMap((tier) => {
      const shared = files[tier].filter((file) => !alone.includes(file));
      const own = files[tier].filter((file) => alone.includes(file));
      return [project(tier, shared, false), ...(own.length === 0 ? [] : [project(`${tier}-alone`, own, true)])];
    }),
    // The order of the browser tests, which test/support/tier-reporter.ts prints; `--sequence.seed` repeats one.
    sequence: { seed: Date.now() },
    globalSetup: './test/support/leftovers.ts',
    setupFiles: './test/support/check-answers.ts',
    reporters: ['default', './test/support/tier-reporter.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Whole servers and databases start in these tests, on machines that do other things too.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Whole servers, stores and browsers share the machine; the reporter names each test that needed its second try.
    retry: process.env.CI === 'true' ? 1 : 0,
    // Vitest's own second is too short for a condition on such a machine; whoever waits in vain has found a fault.
    expect: { poll: { timeout: 40_000, interval: 20 } },
  },
});
