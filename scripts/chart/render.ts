/*
 * Lints the Helm chart, and renders the manifests that test/chart validates:
 *
 *     npx tsx scripts/chart/render.ts
 *
 * Needs `helm` 3.14 or newer in PATH (or HELM, its path). With Go: `go install helm.sh/helm/v3/cmd/helm@v3.20.2`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { chartFolder, fingerprintOf, kubernetesVersions, refusals, valueSets, withFingerprint } from './chart.ts';

const [oldest] = kubernetesVersions;
const program = process.env.HELM ?? 'helm';
const helm = (...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

for (const set of valueSets()) {
  const given = ['--values', set.values, '--kube-version', oldest];
  console.log(helm('lint', '--strict', chartFolder, ...given).trim());
  const manifests = helm('template', set.release, chartFolder, '--namespace', 'fanion', ...given);
  mkdirSync(dirname(set.rendered), { recursive: true });
  writeFileSync(set.rendered, withFingerprint(fingerprintOf(set), manifests));
  console.log(`rendered ${set.name}: ${manifests.match(/^kind: /gm)?.length} objects`);
}

for (const { release, settings, says } of refusals) {
  const args = [
    'template',
    release,
    chartFolder,
    '--kube-version',
    oldest,
    ...settings.flatMap((one) => ['--set', one]),
  ];
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0 || !says.test(stderr)) throw new Error(`helm ${args.join(' ')} does not say ${says}: ${stderr}`);
}
console.log(`refused ${refusals.length} sets of wrong values`);
