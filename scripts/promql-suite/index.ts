/*
 * The scripts by which Prometheus tests PromQL (`promql/promqltest/testdata`), through the HTTP API of a server: each `load` is sent by remote
 * write into a fresh workspace, and each `eval` is sent to `/prometheus/api/v1/query` or `query_range`. Prints docs/promql-suite.md:
 *
 *     npx tsx scripts/promql-suite/index.ts DIRECTORY > docs/promql-suite.md
 *
 * DIRECTORY is a clone of https://github.com/prometheus/prometheus. Child processes run from `dist`: `npm run build` first. With a second
 * argument only files whose names match this pattern run. Fails where a difference has no reason.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScriptThroughDoor } from '../../packages/server/src/protocols/prometheus/testing/script-door.ts';
import { newWorkspace, type SignedUp, signUp } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer } from '../../packages/server/src/testing/test-server.ts';
import { factsOf, pageOf, type ScriptFacts, unexplained } from './page.ts';

/** Scripts mostly wait until what they sent is stored. */
const filesAtOnce = 4;
/** An owner has at most 50. */
const workspacesOfOwner = 40;

const [directory = '.', named = ''] = process.argv.slice(2);
const folder = join(directory, 'promql/promqltest/testdata');
const files = readdirSync(folder).filter((name) => name.endsWith('.test') && new RegExp(named).test(name));

/** Runs the scripts on one server. */
async function run(): Promise<ScriptFacts[]> {
  // Thousands of queries of one address follow one another.
  const server = await startTestServer({});
  try {
    const facts: ScriptFacts[] = [];
    const left = files.values();
    const worker = async () => {
      const next = workspaces(server.base);
      for (const file of left) {
        const outcomes = await runScriptThroughDoor(readFileSync(join(folder, file), 'utf8'), next);
        console.error(`${file}: ${outcomes.length}`);
        facts.push(factsOf(file, outcomes));
      }
    };
    await Promise.all(Array.from({ length: filesAtOnce }, worker));
    return facts.sort((a, b) => (a.file < b.file ? -1 : 1));
  } finally {
    await server.stop();
  }
}

function workspaces(base: string): () => Promise<SignedUp> {
  let owner: SignedUp | undefined;
  let used = 0;
  return async () => {
    if (owner === undefined || used++ % workspacesOfOwner === 0) owner = await signUp(base, 'scripts');
    return newWorkspace(owner, 'script');
  };
}

const log = ['-C', directory, 'log', '-1', '--format=%h of %cs'];
const facts = await run();
console.log(pageOf(facts, execFileSync('git', log, { encoding: 'utf8' }).trim()));
process.exitCode = unexplained(facts).length > 0 ? 1 : 0;
