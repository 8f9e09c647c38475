/*
 * How many cases of other products' own suites hold after an import, evaluated by the engine. Prints docs/vendor-suites.md:
 *
 *     npx tsx scripts/vendor-suites/index.ts DIRECTORY > docs/vendor-suites.md
 *
 * DIRECTORY has the suites' repositories, as their addresses below name them. Fails where a case has no reason.
 */
import { join } from 'node:path';
import { flagdOutcomes } from './flagd.ts';
import { growthBookOutcomes } from './growthbook.ts';
import { launchDarklyOutcomes } from './launchdarkly.ts';
import type { Outcome } from './suite.ts';
import { unleashOutcomes } from './unleash.ts';

interface Suite {
  readonly name: string;
  readonly repository: string;
  readonly license: string;
  readonly path: string;
  readonly run: (path: string) => Outcome[];
}

const suites: readonly Suite[] = [
  {
    name: "LaunchDarkly's SDK test harness",
    repository: 'launchdarkly/sdk-test-harness',
    license: 'Apache-2.0',
    path: 'data/data-files/server-side-eval',
    run: launchDarklyOutcomes,
  },
  {
    name: "Unleash's client specification",
    repository: 'Unleash/client-specification',
    license: 'Apache-2.0',
    path: 'specifications',
    run: unleashOutcomes,
  },
  {
    name: "GrowthBook's cases, conditions and features",
    repository: 'growthbook/growthbook',
    license: 'MIT',
    path: 'packages/sdk-js/test/cases.json',
    run: growthBookOutcomes,
  },
  {
    name: "flagd's testbed, evaluator",
    repository: 'open-feature/flagd-testbed',
    license: 'Apache-2.0',
    path: 'evaluator',
    run: flagdOutcomes,
  },
];

/** Of cases about which an import says nothing, as it depends on the context. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^condition: version /, 'a text that is not a semantic version, such as "1-2-3", is no version here'],
  [/^zero-values/, 'the value is equal; its reason is DEFAULT here, and STATIC in flagd'],
  [/^evaluator-refs.*bye\)$/, 'the value is equal; the reason of the last else part is DEFAULT here'],
  [/^metadata/, 'the script does not play these steps'],
];

const [directory = '.'] = process.argv.slice(2);
let unexplained = 0;
console.log(`# Suites of other products

What holds of the suites that other products have for their own SDKs, after \`fanion import\`: each case is evaluated by the engine, with the
context as the product's SDKs send it. Every other case is listed with its reason. This page is printed by
\`scripts/vendor-suites\`.`);
for (const { name, repository, license, path, run } of suites) {
  const outcomes = run(join(directory, repository, path));
  const held = outcomes.filter((one) => one.held).length;
  console.log(`\n## ${name}\n`);
  console.log(
    `${held} of ${outcomes.length} cases of [${repository}](https://github.com/${repository}) (${license}).\n`,
  );
  for (const { name: one, why } of outcomes.filter((each) => !each.held)) {
    const reason = why || reasons.find(([names]) => names.test(one))?.[1];
    if (reason === undefined) unexplained++;
    console.log(`- ${one.replaceAll('|', '\\|')}: ${reason ?? '**unexplained**'}`);
  }
}
process.exitCode = unexplained > 0 ? 1 : 0;
