import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { unknownVariables } from '../../packages/server/src/config.ts';
import { chartFolder, fingerprintIn, fingerprintOf, kubernetesVersions, valueSets } from '../../scripts/chart/chart.ts';
import { faultsOf, type KubernetesObject } from './relations.ts';
import { objectsIn, validatorOf, versions } from './validation.ts';

const sets = valueSets();
const rendered = new Map(sets.map((set) => [set.name, readFileSync(set.rendered, 'utf8')]));
const objectsOf = (name: string) => objectsIn(rendered.get(name) ?? '');
const validators = new Map(versions.map((version) => [version, validatorOf(version)]));

describe('the rendered chart', () => {
  it.each(sets)('$name was rendered from the present chart and values (npx tsx scripts/chart/render.ts)', (set) => {
    expect(fingerprintIn(rendered.get(set.name) ?? '')).toBe(fingerprintOf(set));
  });

  it.each(sets.flatMap(({ name }) => versions.map((version) => [name, version] as const)))(
    '%s is valid for Kubernetes %s, without unknown fields',
    (name, version) => {
      expect(objectsOf(name).flatMap((object) => validators.get(version)?.(object))).toEqual([]);
    },
  );

  it.each(sets)('$name has valid names, and its objects refer only to each other', ({ name }) => {
    expect(faultsOf(objectsOf(name))).toEqual([]);
  });

  it.each(sets)('$name gives every container a read-only root, no privileges, and known variables', ({ name }) => {
    const pods = objectsOf(name).flatMap(({ spec }) => (spec.template === undefined ? [] : [spec.template.spec]));
    expect(pods).toHaveLength(4);
    for (const { securityContext, containers, automountServiceAccountToken } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(automountServiceAccountToken).toBe(false);
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const variables = container.env.map((variable: { name: string }) => [variable.name, 'x']);
        expect(unknownVariables(Object.fromEntries(variables))).toEqual([]);
      }
    }
  });

  it('covers every kind, and the oldest supported version of Kubernetes', () => {
    expect(new Set(objectsOf('everything').map(({ kind }) => kind)).size).toBe(8);
    expect(versions).toEqual(kubernetesVersions);
    const { kubeVersion } = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8'));
    expect(kubeVersion).toBe(`>=${kubernetesVersions[0].replace(/\.\d+$/, '.0')}-0`);
  });

  it('quotes strings that YAML reads as numbers, dates or booleans', () => {
    const byName = new Map(objectsOf('awkward').map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    const { containers, volumes } = byName.get('Deployment true-fanion-api')?.spec.template.spec ?? {};
    const variables = Object.fromEntries(containers[0].env.map(({ name, value }: never) => [name, value]));
    expect(variables).toMatchObject({ CLICKHOUSE_CLUSTER: '1e3', FANION_WAL_MAX_BYTES: '8589934592' });
    expect(variables).toMatchObject({ FANION_MEMORY: '768MiB', FANION_MAX_CLOCK_SKEW_SECONDS: '0.5' });
    expect(volumes.map(({ secret }: { secret?: { secretName: string } }) => secret?.secretName)).toContain('1234');
    expect(byName.get('Ingress true-fanion')?.spec.rules[0].host).toBe('2026-11-30');
  });

  it('sets FANION_MEMORY to the memory limit of the pod, unless env has it', () => {
    const memory = (name: string) =>
      objectsOf(name)
        .flatMap(({ spec }) => spec.template?.spec.containers ?? [])
        .map(({ env }) => env.filter((variable: { name: string }) => variable.name === 'FANION_MEMORY'));
    expect(memory('smallest')).toEqual(Array(4).fill([{ name: 'FANION_MEMORY', value: '$(LIMIT_IN_MIB)MiB' }]));
    expect(memory('awkward')).toEqual(Array(4).fill([{ name: 'FANION_MEMORY', value: '768MiB' }]));
  });
});

describe('manifest checks', () => {
  const smallest = objectsOf('everything');
  /** The objects of a set, one of which is changed. */
  function changed(kind: string, change: (spec: KubernetesObject['spec'], object: KubernetesObject) => void) {
    const copy = structuredClone(smallest);
    const found = copy.find((object) => object.kind === kind);
    if (found === undefined) throw new Error(`no ${kind}`);
    change(found.spec, found);
    return copy;
  }

  it.each<[string, string, (spec: KubernetesObject['spec']) => void]>([
    ['an unknown field', 'Deployment', (spec) => Object.assign(spec.template.spec, { automountToken: false })],
    [
      'an unknown field of a container',
      'StatefulSet',
      (spec) => Object.assign(spec.template.spec.containers[0], { cpu: 1 }),
    ],
    [
      'a number for a string',
      'StatefulSet',
      (spec) => Object.assign(spec.volumeClaimTemplates[0].spec, { storageClassName: 1 }),
    ],
    ['null', 'Service', (spec) => Object.assign(spec, { selector: null })],
    ['a missing field', 'Ingress', (spec) => delete spec.rules[0].http.paths[0].pathType],
    [
      'a quantity with a wrong unit',
      'Deployment',
      (spec) => Object.assign(spec.template.spec.containers[0].resources.limits, { memory: '1GB' }),
    ],
    ['a number that is too large', 'HorizontalPodAutoscaler', (spec) => Object.assign(spec, { maxReplicas: 2 ** 31 })],
    [
      'an unknown field of a ServiceMonitor',
      'ServiceMonitor',
      (spec) => Object.assign(spec.endpoints[0], { bearer: 'x' }),
    ],
    [
      'a variable that is not a string',
      'Deployment',
      (spec) => Object.assign(spec.template.spec.containers[0].env[0], { value: true }),
    ],
  ])('reject %s', (_name, kind, change) => {
    for (const validate of validators.values()) expect(changed(kind, change).flatMap(validate)).not.toEqual([]);
  });

  it('reject a kind without a schema', () => {
    const other = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} };
    for (const validate of validators.values()) expect(validate(other)).toHaveLength(1);
  });

  it.each<[string, string, (spec: KubernetesObject['spec'], object: KubernetesObject) => void]>([
    ['a name that begins with a digit', 'Service', (_spec, { metadata }) => Object.assign(metadata, { name: '7-api' })],
    [
      'a name that is too long for its pods',
      'StatefulSet',
      (_spec, { metadata }) => Object.assign(metadata, { name: 'a'.repeat(53) }),
    ],
    ['a label with a space', 'Deployment', (_spec, { metadata }) => Object.assign(metadata.labels ?? {}, { a: 'b c' })],
    ['a service without pods', 'Service', (spec) => Object.assign(spec.selector, { a: 'b' })],
    ['a port that pods do not have', 'Service', (spec) => Object.assign(spec.ports[0], { targetPort: 'web' })],
    ['a mount without a volume', 'Deployment', (spec) => spec.template.spec.volumes.pop()],
    [
      'a duplicate variable',
      'Deployment',
      ({ template: { spec } }) => spec.containers[0].env.push(spec.containers[0].env[0]),
    ],
    ['a number of replicas beside an autoscaler', 'Deployment', (spec) => Object.assign(spec, { replicas: 2 })],
    [
      'an autoscaler of nothing',
      'HorizontalPodAutoscaler',
      (spec) => Object.assign(spec.scaleTargetRef, { name: 'web' }),
    ],
    ['a budget for nothing', 'PodDisruptionBudget', (spec) => Object.assign(spec.selector.matchLabels, { a: 'b' })],
    [
      'a backend that does not exist',
      'Ingress',
      (spec) => Object.assign(spec.rules[0].http.paths[0].backend.service, { name: 'web' }),
    ],
    ['a policy that closes a port', 'NetworkPolicy', (spec) => spec.ingress[0].ports.pop()],
    ['a monitor that reads a workload twice', 'ServiceMonitor', (spec) => delete spec.selector.matchExpressions],
    [
      'a duplicate object',
      'Service',
      (_spec, object) =>
        Object.assign(object.metadata, {
          name: smallest.find(({ kind, metadata }) => kind === 'Service' && metadata.name !== object.metadata.name)
            ?.metadata.name,
        }),
    ],
  ])('report %s', (_name, kind, change) => {
    expect(faultsOf(changed(kind, change))).not.toEqual([]);
  });
});

describe('chart values', () => {
  const read = (path: string) => readFileSync(path, 'utf8');
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(read(join(chartFolder, 'values.schema.json'))),
  );

  it.each([join(chartFolder, 'values.yaml'), ...sets.map(({ values }) => values)])('%s are valid', (path) => {
    expect(validate(parse(read(path))) || validate.errors).toBe(true);
  });

  it('match the properties of the schema', () => {
    const schema = JSON.parse(read(join(chartFolder, 'values.schema.json')));
    const values = parse(read(join(chartFolder, 'values.yaml')));
    const differences = (
      at: string,
      { properties = {} }: { properties?: Record<string, object> },
      value: object,
    ): string[] => {
      const names = Object.keys(properties);
      if (names.length === 0) return [];
      const own = Object.keys(value);
      return [
        ...names.filter((name) => !own.includes(name)).map((name) => `${at}${name}`),
        ...Object.entries(value).flatMap(([name, one]) =>
          typeof one === 'object' && name in properties
            ? differences(`${at}${name}.`, properties[name] ?? {}, one)
            : [],
        ),
      ];
    };
    // Helm adds `global` for charts within charts.
    expect(differences('', schema, values)).toEqual(['global']);
  });

  it.each([
    ['a misspelled name', { networkpolicy: { enabled: false } }],
    ['an unknown role', { roles: { web: { replicas: 2 } } }],
    ['a string for a boolean', { ingress: { enabled: 'true' } }],
    ['no replicas', { roles: { api: { replicas: 0 } } }],
    ['half a replica', { roles: { api: { replicas: 1.5 } } }],
    ['memory with a unit of FANION_MEMORY', { roles: { api: { memory: '1GiB' } } }],
    ['more than all of a processor', { roles: { api: { autoscaling: { cpuPercent: 101 } } } }],
    ['a volume for a role that has none', { roles: { api: { volume: { size: '1Gi' } } } }],
    ['a variable that the chart sets', { env: { FANION_ROLE: 'all' } }],
    ['a secret among the variables', { env: { DATABASE_URL: 'postgres://fanion:password@db' } }],
    ['a lower-case variable', { env: { fanion_memory: '1GiB' } }],
    ['a boolean for a variable', { env: { FANION_SELF_TELEMETRY: true } }],
    ['a number as a tag, which Helm would write as 2.0261130e+07', { image: { tag: 20261130 } }],
    ['an interval without a unit', { serviceMonitor: { interval: '30' } }],
    ['a time to drain above that of the server', { drainSeconds: 601 }],
    ['a string for a list', { imagePullSecrets: 'registry' }],
  ])('reject %s', (_name, values) => {
    expect(validate(values)).toBe(false);
  });
});
