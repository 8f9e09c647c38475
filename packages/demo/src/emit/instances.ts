import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { createRandom } from '../random.ts';
import { SERVICES, type ServiceName } from '../simulation/operation.ts';

const DAY = 86_400_000;

/** When each service is deployed, each day, in milliseconds after midnight UTC; a deployment starts a new instance. */
const DEPLOYED_AT: Readonly<Record<ServiceName, number>> = {
  frontend: 9.5 * 3_600_000,
  catalog: 6.25 * 3_600_000,
  cart: 11 * 3_600_000,
  checkout: 13.5 * 3_600_000,
  payment: 8 * 3_600_000,
};

/** One running copy of a service, from one deployment to the next. */
export interface Instance {
  service: ServiceName;
  /** Distinguishes it from all other instances of all services. */
  key: string;
  version: string;
  startedAt: number;
  resource: Resource;
}

/** The deployment that serves at `at` (milliseconds since the epoch): its number and when it started. */
export function deploymentAt(service: ServiceName, at: number): { number: number; startedAt: number } {
  const number = Math.floor((at - DEPLOYED_AT[service]) / DAY);
  return { number, startedAt: number * DAY + DEPLOYED_AT[service] };
}

/** The instance of a deployment. The same deployment gives the same names, whenever the demo is run. */
export function createInstance(service: ServiceName, deployment: { number: number; startedAt: number }): Instance {
  const random = createRandom('instance', service, deployment.number);
  const major = 1 + SERVICES.indexOf(service);
  const version = `${major}.${Math.floor(deployment.number / 10) % 100}.${deployment.number % 10}`;
  const replicaSet = random.hex(5);
  const pod = `${service}-${replicaSet}-${random.hex(3).slice(0, 5)}`;
  const id = random.hex(16);
  const attributes = {
    'service.name': service,
    'service.namespace': 'shop',
    'service.version': version,
    'service.instance.id': `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(13, 16)}-a${id.slice(17, 20)}-${id.slice(20)}`,
    'deployment.environment.name': 'production',
    'host.name': `node-${1 + random.integer(3)}`,
    'host.arch': 'amd64',
    'os.type': 'linux',
    'process.runtime.name': 'nodejs',
    'process.runtime.version': '22.17.0',
    'container.image.name': `registry.example/shop/${service}`,
    'container.image.tags': [version],
    'k8s.cluster.name': 'shop-eu-1',
    'k8s.namespace.name': 'shop',
    'k8s.deployment.name': service,
    'k8s.replicaset.name': `${service}-${replicaSet}`,
    'k8s.pod.name': pod,
    'k8s.container.name': service,
    'cloud.region': 'eu-central-1',
  };
  return {
    service,
    key: `${service}/${deployment.number}`,
    version,
    startedAt: deployment.startedAt,
    resource: defaultResource().merge(resourceFromAttributes(attributes)),
  };
}
