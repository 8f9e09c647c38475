/** The fields that the relations need; the schemas check the rest. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another one, and the schema has checked it
  readonly spec: any;
}

type Labels = Readonly<Record<string, string>>;
type Rule = (object: KubernetesObject, all: readonly KubernetesObject[]) => string[];

const WORKLOADS = ['Deployment', 'StatefulSet'];

/** Faults that no schema of a single object finds: invalid names, and references to objects that do not exist. */
export function faultsOf(objects: readonly KubernetesObject[]): string[] {
  const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return [
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is defined twice`),
    ...objects.flatMap((object) =>
      [nameFaults, labelFaults, ...(RULES[object.kind] ?? [])].flatMap((rule) =>
        rule(object, objects).map((fault) => `${object.kind} ${object.metadata.name} ${fault}`),
      ),
    ),
  ];
}

const nameFaults: Rule = ({ kind, metadata: { name } }) => {
  // A pod of a StatefulSet has a label of its name, `-` and ten characters.
  const most = kind === 'StatefulSet' ? 52 : 63;
  return [
    ...(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) ? [] : ['is not a name of a service']),
    ...(name.length <= most ? [] : [`has a name of ${name.length} characters, more than ${most}`]),
  ];
};

const labelFaults: Rule = ({ metadata, spec }) =>
  [metadata.labels, spec.template?.metadata?.labels, spec.selector?.matchLabels]
    .flatMap((labels: Labels | undefined) => Object.entries(labels ?? {}))
    .filter(([, value]) => !/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(value))
    .map(([key, value]) => `has the label ${key}: ${value}`);

const workloadsIn = (all: readonly KubernetesObject[]) => all.filter(({ kind }) => WORKLOADS.includes(kind));
const portsOf = ({ spec }: KubernetesObject): string[] =>
  spec.template.spec.containers.flatMap(({ ports = [] }: Container) => ports.map(({ name }) => name));

interface Container {
  readonly env?: readonly { readonly name: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

const has = (labels: Labels | undefined, wanted: Labels) =>
  Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
const selected = (all: readonly KubernetesObject[], labels: Labels) =>
  workloadsIn(all).filter(({ spec }) => has(spec.template.metadata.labels, labels));

const workloadFaults: Rule = (object, all) => {
  const { selector, template, replicas, volumeClaimTemplates = [], serviceName } = object.spec;
  const { containers, volumes = [], terminationGracePeriodSeconds = 30 } = template.spec;
  const isScaled = all.some(
    ({ kind, spec }) => kind === 'HorizontalPodAutoscaler' && spec.scaleTargetRef.name === object.metadata.name,
  );
  const named = [...volumes, ...volumeClaimTemplates.map(({ metadata }: KubernetesObject) => metadata)].map(
    ({ name }: { name: string }) => name,
  );
  const mounted: string[] = containers.flatMap(({ volumeMounts = [] }: Container) =>
    volumeMounts.map(({ name }) => name),
  );
  const headless = all.find(({ kind, metadata }) => kind === 'Service' && metadata.name === serviceName)?.spec;
  return [
    ...(selected(all, selector.matchLabels).length === 1 ? [] : ['does not select its pods alone']),
    // An autoscaler and a fixed number would undo each other at each upgrade.
    ...(isScaled === (replicas === undefined) ? [] : ['has a number of replicas and an autoscaler, or neither']),
    ...mounted.filter((name) => !named.includes(name)).map((name) => `mounts ${name}, which does not exist`),
    ...named.filter((name) => !mounted.includes(name)).map((name) => `does not mount ${name}`),
    ...(terminationGracePeriodSeconds >= 35 ? [] : ['has less than 35 seconds to end']),
    ...(object.kind === 'Deployment' || headless?.clusterIP === 'None' ? [] : ['has no headless service']),
    ...containers.flatMap(containerFaults),
  ];
};

function containerFaults({ env = [], ports = [], volumeMounts = [] }: Container): string[] {
  const twice = (values: readonly unknown[]) => values.filter((value, at) => values.indexOf(value) !== at);
  const repeated = twice([...env, ...ports].map(({ name }) => name));
  return [
    ...[...repeated, ...twice(volumeMounts.map(({ mountPath }) => mountPath))].map((name) => `has ${name} twice`),
    ...ports
      .filter(({ name }) => name.length > 15)
      .map(({ name }) => `has the port ${name}, a name above 15 characters`),
  ];
}

const serviceFaults: Rule = ({ spec }, all) => {
  const pods = selected(all, spec.selector);
  return [
    ...(pods.length === 1 ? [] : [`selects ${pods.length} workloads`]),
    ...pods.flatMap((workload) =>
      spec.ports
        .filter(({ targetPort }: { targetPort: string }) => !portsOf(workload).includes(targetPort))
        .map(({ targetPort }: { targetPort: string }) => `sends to the port ${targetPort}, which the pods do not have`),
    ),
  ];
};

const budgetFaults: Rule = ({ spec }, all) =>
  selected(all, spec.selector.matchLabels).length === 1 ? [] : ['does not select one workload'];

const scalerFaults: Rule = ({ spec }, all) => [
  ...(workloadsIn(all).some(
    ({ kind, metadata }) => kind === spec.scaleTargetRef.kind && metadata.name === spec.scaleTargetRef.name,
  )
    ? []
    : ['scales nothing']),
  ...(spec.minReplicas <= spec.maxReplicas ? [] : ['has more replicas at least than at most']),
];

const ingressFaults: Rule = ({ spec }, all) =>
  spec.rules.flatMap(({ http }: IngressRule) =>
    http.paths.flatMap(({ path, backend: { service } }) => {
      const target = all.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service.name);
      const isThere = target?.spec.ports.some(({ name }: { name: string }) => name === service.port.name);
      return isThere ? [] : [`sends ${path} to ${service.name}:${service.port.name}, which does not exist`];
    }),
  );

interface IngressRule {
  readonly http: {
    readonly paths: readonly {
      readonly path: string;
      readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } };
    }[];
  };
}

const policyFaults: Rule = ({ spec }, all) => {
  const pods = selected(all, spec.podSelector.matchLabels);
  const open = spec.ingress.flatMap(({ ports }: { ports: { port: string }[] }) => ports.map(({ port }) => port));
  return [
    ...(pods.length === workloadsIn(all).length ? [] : ['does not select all workloads']),
    ...pods
      .flatMap(portsOf)
      .filter((port) => !open.includes(port))
      .map((port) => `closes the port ${port}`),
  ];
};

const monitorFaults: Rule = ({ spec }, all) => {
  const { matchLabels, matchExpressions = [] } = spec.selector;
  const read = all
    .filter(({ kind, metadata }) => kind === 'Service' && has(metadata.labels, matchLabels))
    .filter(({ metadata }) =>
      matchExpressions.every(({ key, values }: { key: string; values: string[] }) =>
        values.includes(metadata.labels?.[key] ?? ''),
      ),
    );
  const components = read.map((service) => selected(all, service.spec.selector)[0]?.metadata.name);
  const isOnce = new Set(components).size === components.length && components.length === workloadsIn(all).length;
  return isOnce ? [] : ['does not read each workload once'];
};

const RULES: Readonly<Record<string, readonly Rule[]>> = {
  Deployment: [workloadFaults],
  StatefulSet: [workloadFaults],
  Service: [serviceFaults],
  PodDisruptionBudget: [budgetFaults],
  HorizontalPodAutoscaler: [scalerFaults],
  Ingress: [ingressFaults],
  NetworkPolicy: [policyFaults],
  ServiceMonitor: [monitorFaults],
};
