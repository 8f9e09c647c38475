import { createInterface } from 'node:readline/promises';
import { checks } from './checks.ts';
import { openCluster, readVariables } from './cluster.ts';

/**
 * Checks on a real ClickHouse cluster what a single process cannot show, and prints a report: see README.md.
 * `CLUSTER_TEST_URLS=… CLUSTER_TEST_CLUSTER=… npx tsx deploy/cluster-test/run.ts`
 */
const variables = readVariables(process.env);
if (typeof variables === 'string') {
  console.error(variables);
  process.exit(2);
}
const cluster = await openCluster(variables);
const prompt = createInterface({ input: process.stdin, output: process.stderr });
/** Undefined: the person leaves this check out. */
const person = async (request: string) => {
  if (!process.stdin.isTTY) return false;
  const answer = await prompt.question(`\n${request}\nPress Enter when it is done, or type "skip": `);
  return answer.trim() !== 'skip';
};

const report: string[] = ['| check | result | details |', '| --- | --- | --- |'];
let failed = 0;
for (const { name, run } of checks) {
  console.error(`… ${name}`);
  try {
    const details = await run(cluster, person);
    report.push(`| ${name} | ${details === undefined ? 'NOT RUN' : 'ok'} | ${details ?? 'left out'} |`);
  } catch (error) {
    failed++;
    const message = error instanceof Error ? error.message : String(error);
    report.push(`| ${name} | FAILED | ${message.replaceAll('\n', ' ').replaceAll('|', '\\|').slice(0, 500)} |`);
  }
}
if (!variables.keep) await cluster.drop();
await cluster.close();
prompt.close();
console.log(report.join('\n'));
process.exitCode = failed === 0 ? 0 : 1;
