import type { Omitted, Reproduced } from './facts.ts';

const POWER = 'power.test.ts::';

/** How many functions of the suite there are, and how many numbers of them are compared. */
export function countsOf(reproduced: readonly Reproduced[], omitted: readonly Omitted[]) {
  const names = new Set([...reproduced, ...omitted].map(({ of }) => of));
  const ofPower = [...names].filter((name) => name.startsWith(POWER)).length;
  return {
    functions: names.size - ofPower,
    ofPower,
    reproduced: reproduced.length,
    omitted: omitted.length,
    comparisons: reproduced.reduce((sum, { facts }) => sum + facts().length, 0),
  };
}

const toleranceOf = (within: number) => (within === 0 ? 'exactly' : `within ${within.toExponential()}`);

/** The functions of the suite as a page, by file. */
export function tableOf(reproduced: readonly Reproduced[], omitted: readonly Omitted[]): string {
  const counts = countsOf(reproduced, omitted);
  const rows = [
    ...reproduced.map(({ of, facts, note }) => {
      const all = facts().map(({ within }) => within);
      const told = [...new Set(all)]
        .sort((a, b) => a - b)
        .map((within) => `${all.filter((one) => one === within).length} ${toleranceOf(within)}`);
      return [of, told.join(', '), note ?? ''];
    }),
    ...omitted.map(({ of, because }) => [of, 'left out', because]),
  ].map((cells) => ({
    file: cells[0]?.split('::')[0] ?? '',
    cells: [cells[0]?.split('::').slice(1).join(' › '), ...cells.slice(1)],
  }));
  const files = [...new Set(rows.map(({ file }) => file))].sort();
  const lines = files.flatMap((file) => [
    '',
    `## ${file}`,
    '',
    '| test function | numbers compared | remark |',
    '| --- | --- | --- |',
    ...rows.filter((row) => row.file === file).map(({ cells }) => `| ${cells.join(' | ')} |`),
  ]);
  return `${[
    '# Numbers of gbstats',
    '',
    'GrowthBook tests its statistics in `packages/stats/tests` and `packages/shared/test/power.test.ts` (MIT license; read at commit 8f1db44).',
    `These are its ${counts.functions} test functions and ${counts.ofPower} of power. The numbers of ${counts.reproduced} are computed by this package from the same`,
    `inputs, ${counts.comparisons} comparisons; ${counts.omitted} test nothing that could be computed here. The tolerance is the loosest of a function: half a unit of the last`,
    'decimal that gbstats compares, or less; a remark says where it is not. `src/gbstats.test.ts` writes this page with `npx vitest run packages/stats/src/gbstats.test.ts -u`.',
    ...lines,
  ].join('\n')}\n`;
}
