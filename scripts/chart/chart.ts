import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

export const chartFolder = path('deploy/helm/fanion');
export const schemasFolder = path('test/chart/schemas');
const valuesFolder = path('test/chart/values');

/** What the chart needs, and the newest version whose schemas are in the tests. */
export const kubernetesVersions = ['1.28.15', '1.37.2'] as const;

/** Values with which the tests render the chart, and the manifests that result. */
export interface ValueSet {
  readonly name: string;
  /** The name of the release. */
  readonly release: string;
  readonly values: string;
  readonly rendered: string;
}

/** A name that YAML reads as a boolean, and the longest that `helm install` takes. */
const releases: Readonly<Record<string, string>> = {
  awkward: 'true',
  scaled: 'a-release-name-of-53-characters-the-longest-that-fits',
};

export function valueSets(): ValueSet[] {
  return readdirSync(valuesFolder)
    .map((file) => file.replace(/\.yaml$/, ''))
    .sort()
    .map((name) => ({
      name,
      release: releases[name] ?? 'observability',
      values: join(valuesFolder, `${name}.yaml`),
      rendered: path(`test/chart/rendered/${name}.yaml`),
    }));
}

/** A hash of all that decides what is rendered: the files of the chart, the values and the name of the release. */
export function fingerprintOf({ release, values }: ValueSet): string {
  const files = readdirSync(chartFolder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256').update(release);
  for (const file of [...files, values]) {
    const name = posix.basename(file.replaceAll('\\', '/'));
    hash.update(`\0${name}\0`).update(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'));
  }
  return hash.digest('hex');
}

const firstLine = /^# Rendered by scripts\/chart\/render\.ts from (\w+)\n/;

export const withFingerprint = (fingerprint: string, manifests: string): string =>
  `# Rendered by scripts/chart/render.ts from ${fingerprint}\n${manifests}`;

export const fingerprintIn = (rendered: string): string | undefined => firstLine.exec(rendered)?.[1];

/** What `helm template` must refuse, and what it must say. */
export const refusals: readonly {
  readonly release: string;
  readonly settings: readonly string[];
  readonly says: RegExp;
}[] = [
  { release: 'fanion', settings: [], says: /existingSecret names the Secret/ },
  { release: '007', settings: ['existingSecret=fanion'], says: /"007" is not a name of a service/ },
  { release: 'my.fanion', settings: ['existingSecret=fanion'], says: /"my\.fanion" is not a name of a service/ },
  { release: 'fanion', settings: ['existingSecret=fanion', 'networkpolicy.enabled=false'], says: /networkpolicy/ },
  { release: 'fanion', settings: ['existingSecret=fanion', 'roles.web.replicas=2'], says: /web/ },
  { release: 'fanion', settings: ['existingSecret=fanion', 'env.FANION_ROLE=all'], says: /FANION_ROLE/ },
  {
    release: 'fanion',
    settings: ['existingSecret=fanion', 'roles.api.autoscaling.enabled=true', 'roles.api.replicas=7'],
    says: /roles\.api\.autoscaling\.maxReplicas is 6, less than roles\.api\.replicas/,
  },
];
