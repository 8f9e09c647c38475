// Runs each `*.test` script of the folder FANION_PROMQL_SCRIPTS, which Prometheus' source has as promql/promqltest/testdata:
//   FANION_PROMQL_SCRIPTS=… npx tsx packages/promql/src/testing/measure.ts [file…]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from './run.ts';

const folder = process.env.FANION_PROMQL_SCRIPTS ?? '.';
const wanted = process.argv.slice(2);
let [passed, counted] = [0, 0];
for (const file of readdirSync(folder).filter((name) => name.endsWith('.test'))) {
  if (wanted.length > 0 && !wanted.includes(file)) continue;
  const outcomes = await runScript(readFileSync(join(folder, file), 'utf8'));
  const usual = outcomes.filter(({ isExperimental }) => !isExperimental);
  const failed = usual.filter(({ wrong }) => wrong !== undefined);
  passed += usual.length - failed.length;
  counted += usual.length;
  console.log(
    `${file}: ${usual.length - failed.length} of ${usual.length}, and ${outcomes.length - usual.length} experimental`,
  );
  if (wanted.length > 0) for (const { line, query, wrong } of failed) console.log(`  ${line}: ${query}\n    ${wrong}`);
}
console.log(`${passed} of ${counted} without experimental functions`);
