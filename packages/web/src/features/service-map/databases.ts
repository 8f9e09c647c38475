import type { ServiceEdge, ServiceNode } from './types.ts';

/** A node of the map as people read it. */
export interface ShownNode extends ServiceNode {
  /** `payment`, where the API says `postgresql/payment|public`. */
  readonly title: string;
  /** What it is: `PostgreSQL`, `4 databases`. Empty for services and external hosts. */
  readonly about: string;
}

/** How products write their names. Others are shown as they are. */
const SYSTEMS: Readonly<Record<string, string>> = {
  postgresql: 'PostgreSQL',
  mysql: 'MySQL',
  mariadb: 'MariaDB',
  mongodb: 'MongoDB',
  redis: 'Redis',
  memcached: 'Memcached',
  elasticsearch: 'Elasticsearch',
  opensearch: 'OpenSearch',
  clickhouse: 'ClickHouse',
  cassandra: 'Cassandra',
  sqlite: 'SQLite',
  kafka: 'Kafka',
  rabbitmq: 'RabbitMQ',
  aws_sqs: 'SQS',
  nats: 'NATS',
};
/** Schemas that say nothing, since every database has them. */
const USUAL_SCHEMAS = new Set(['public', 'dbo']);

export function systemName(system: string): string {
  return SYSTEMS[system.toLowerCase()] ?? system;
}

export function shownNode(node: ServiceNode): ShownNode {
  if (node.kind === 'service' || node.kind === 'external') return { ...node, title: node.name, about: '' };
  if (node.system === null) return { ...node, title: node.name, about: node.kind };
  const system = systemName(node.system);
  const rest = node.name.startsWith(`${node.system}/`) ? node.name.slice(node.system.length + 1) : '';
  const [database = '', schema = ''] = rest.split('|');
  const title = schema === '' || USUAL_SCHEMAS.has(schema) ? database : `${database}.${schema}`;
  // A number alone, as Redis has it, does not name anything.
  return title === '' || /^\d+$/.test(title)
    ? { ...node, title: title === '' ? system : `${system} ${title}`, about: node.kind }
    : { ...node, title, about: system };
}

/**
 * The databases of one product as one node, where there are several. Rates and errors add up; of durations, the slowest
 * database counts, since quantiles cannot be added.
 */
export function groupDatabases(
  nodes: readonly ServiceNode[],
  edges: readonly ServiceEdge[],
): { nodes: ShownNode[]; edges: ServiceEdge[] } {
  const bySystem = new Map<string, ServiceNode[]>();
  for (const node of nodes) {
    if (node.kind !== 'database' || node.system === null) continue;
    const known = bySystem.get(node.system);
    if (known) known.push(node);
    else bySystem.set(node.system, [node]);
  }
  const groupOf = new Map<string, string>();
  const groups: ShownNode[] = [];
  for (const [system, members] of bySystem) {
    const [first] = members;
    if (first === undefined || members.length < 2) continue;
    const id = `databases:${system}`;
    for (const member of members) groupOf.set(member.id, id);
    groups.push({
      ...members.slice(1).reduce<ServiceNode>(addUp, first),
      id,
      name: systemName(system),
      title: systemName(system),
      about: `${members.length} databases`,
    });
  }
  const merged = new Map<string, ServiceEdge>();
  for (const edge of edges) {
    const source = groupOf.get(edge.source) ?? edge.source;
    const target = groupOf.get(edge.target) ?? edge.target;
    const key = JSON.stringify([source, target]);
    const known = merged.get(key);
    merged.set(key, known ? addUp(known, edge) : { ...edge, source, target });
  }
  const alone = nodes.filter((node) => !groupOf.has(node.id)).map(shownNode);
  return { nodes: [...alone, ...groups], edges: [...merged.values()] };
}

type Load = Pick<ServiceEdge, 'calls' | 'rate' | 'errors' | 'p50_ns' | 'p95_ns' | 'p99_ns'>;

function addUp<T extends Load>(one: T, other: Load): T {
  const calls = one.calls + other.calls;
  const slower = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b));
  return {
    ...one,
    calls,
    rate: one.rate + other.rate,
    errors: calls === 0 ? 0 : (one.errors * one.calls + other.errors * other.calls) / calls,
    p50_ns: slower(one.p50_ns, other.p50_ns),
    p95_ns: slower(one.p95_ns, other.p95_ns),
    p99_ns: slower(one.p99_ns, other.p99_ns),
  };
}
