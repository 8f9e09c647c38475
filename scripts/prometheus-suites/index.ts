/*
 * Published rules of Prometheus and dashboards of Grafana, imported unchanged: whether their queries answer, and whether the answers and the
 * states of alerts are those of Debian's Prometheus over the same made-up samples. Prints docs/prometheus-suites.md:
 *
 *     npx tsx scripts/prometheus-suites/index.ts DIRECTORY > docs/prometheus-suites.md
 *
 * DIRECTORY has clones of the repositories, as their addresses name them. `prometheus` has to be on the path, and child processes run from
 * `dist`: `npm run build` first. With a second argument, `rules` or `dashboards`, only this part runs, and with a third one only files
 * whose names match this pattern. With SUITES_VERBOSE it writes each comparison to stderr. Fails where a difference has no reason.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { signUp, stored } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer } from '../../packages/server/src/testing/test-server.ts';
import { runDashboards } from './dashboards.ts';
import { dashboardsTable, pageHead, rulesTable, unexplained } from './page.ts';
import { startPrometheus } from './peers.ts';
import { type Peers, runRules } from './rules.ts';
import type { Day } from './samples.ts';

const hourMs = 3_600_000;
const [directory = '.', only, named = ''] = process.argv.slice(2);
const toMs = Math.floor(Date.now() / hourMs) * hourMs;
const day: Day = { fromMs: toMs - 24 * hourMs, toMs, everyMs: 60_000, phaseMs: 17_000 };

/** Runs a part with a Prometheus and a workspace of its own. */
async function beside<T>(run: (peers: Peers) => Promise<T>): Promise<T> {
  const server = await startTestServer({});
  const prometheus = await startPrometheus();
  try {
    const owner = await signUp(server.base, 'suites');
    const token = await owner.token(['telemetry:ingest', 'telemetry:query']);
    const fanion = {
      write: `${server.base}/prometheus/api/v1/write`,
      api: `${server.base}/prometheus/api/v1`,
      headers: { authorization: `Bearer ${token}` },
      settle: () => stored(server.base, 600_000),
    };
    return await run({ prometheus, fanion, owner });
  } finally {
    await prometheus.stop();
    await server.stop();
  }
}

function filesIn(path: string, pattern: RegExp): string[] {
  return readdirSync(join(directory, path))
    .filter((name) => pattern.test(name) && new RegExp(named).test(name))
    .map((name) => join(directory, path, name));
}

/** The commit of a clone, with its day. */
function versionOf(repository: string): string {
  const log = ['-C', join(directory, repository), 'log', '-1', '--format=%h of %cs'];
  return execFileSync('git', log, { encoding: 'utf8' }).trim();
}

console.log(pageHead);
const misses: string[] = [];
if (only !== 'dashboards') {
  const files = filesIn('prometheus-operator/kube-prometheus/manifests', /-prometheusRule\.yaml$/);
  const facts = await beside((peers) => runRules(files, peers, day));
  misses.push(...facts.flatMap((one) => one.misses));
  console.log(rulesTable(facts, versionOf('prometheus-operator/kube-prometheus')));
}
if (only !== 'rules') {
  const files = filesIn('rfmoz/grafana-dashboards/prometheus', /\.json$/);
  const facts = await beside((peers) => runDashboards(files, peers, day));
  misses.push(...facts.flatMap((one) => one.misses));
  console.log(dashboardsTable(facts, versionOf('rfmoz/grafana-dashboards')));
}
process.exitCode = unexplained(misses).length > 0 ? 1 : 0;
