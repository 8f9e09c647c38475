import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Tests that continuous integration may skip, since it may lack the rights that they need. */
const optional: readonly { readonly in: string; readonly needs: string }[] = [
  { in: 'test/faults/disk-full.test.ts', needs: 'the right to mount a file system' },
];

/** Prints the duration of each tier and each test that needed a second try. With `CI=true`, a skipped test fails the run. */
export default class TierReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    this.#printTiers(modules);
    this.#printSeed(modules);
    this.#printUnsteady(modules);
    // Tests that `-t` leaves out count as skipped too.
    const isWhole = this.#vitest?.config.testNamePattern === undefined;
    if (process.env.CI !== 'true' || !isWhole) return;
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    );
    const refused = skipped.filter((name) => !optional.some((entry) => name.startsWith(entry.in)));
    if (refused.length === 0) return;
    process.exitCode = 1;
    console.error(
      `\nCI=true, and ${refused.length} tests were skipped. Install what they need (.ci/run does), or add them to test/support/tier-reporter.ts:`,
    );
    for (const name of refused) console.error(`  ${name}`);
  }

  /** Browser tests run in random order; after a failure, this is how to run them in the same order again. */
  #printSeed(modules: readonly TestModule[]): void {
    if (!modules.some(({ relativeModuleId }) => relativeModuleId.startsWith('test/browser/'))) return;
    console.log(`Order of the browser tests: --sequence.seed=${this.#vitest?.config.sequence.seed}`);
  }

  /** Each is a defect of the test or of the product, though it does not fail this run. */
  #printUnsteady(modules: readonly TestModule[]): void {
    const unsteady = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `${module.relativeModuleId} > ${test.fullName}\n    ${faultOf(module.moduleId, test)}`),
    );
    if (unsteady.length === 0) return;
    console.error('\nPassed only at the second try:');
    for (const name of unsteady) console.error(`  ${name}`);
  }

  #printTiers(modules: readonly TestModule[]): void {
    const tiers = new Map<string, { files: number; tests: number; imports: number }>();
    for (const module of modules) {
      const { duration, collectDuration } = module.diagnostic();
      const name = module.project.name.replace(/-alone$/, '');
      const tier = tiers.get(name) ?? { files: 0, tests: 0, imports: 0 };
      tiers.set(name, {
        files: tier.files + 1,
        tests: tier.tests + duration / 1000,
        imports: tier.imports + collectDuration / 1000,
      });
    }
    console.log('\nDurations by tier, added up over the workers:');
    for (const [name, { files, tests, imports }] of tiers)
      console.log(
        `  ${name.padEnd(7)} ${String(files).padStart(4)} files, tests ${tests.toFixed(0)} s, imports ${imports.toFixed(0)} s`,
      );
  }
}

/** What failed, and in which line of the test. Playwright says only below the first line what it waited for. */
function faultOf(file: string, test: TestCase): string {
  const error = test.result().errors?.[0];
  const lines = (error?.message ?? '').split('\n').filter((line) => line.trim() !== '');
  const line = error?.stacks?.find((frame) => frame.file === file)?.line;
  return [...lines.slice(0, 3), ...(line === undefined ? [] : [`line ${line}`])].join('\n    ');
}
