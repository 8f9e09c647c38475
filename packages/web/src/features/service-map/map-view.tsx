import { IconCloud, IconDatabase, IconServer2, IconStack2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { FiringMark } from '../../alerting/firing.tsx';
import type { AlertInstance } from '../../alerting/instances.ts';
import { ofService, useFiring } from '../../alerting/use-firing.ts';
import { useScope } from '../../app/session.ts';
import { serviceColour } from '../../ui/colours.ts';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { useOneStop } from '../../ui/one-stop.ts';
import { useClientSize } from '../../ui/use-client-size.ts';
import { groupDatabases, type ShownNode, shownNode } from './databases.ts';
import { healthOf, strokeOf } from './health.ts';
import { curve, fitMap, NODE, type Placed } from './layout.ts';
import classes from './service-map.module.css';
import type { ServiceEdge, ServiceNode } from './types.ts';

const ICONS = { service: IconServer2, database: IconDatabase, queue: IconStack2, external: IconCloud } as const;

/**
 * The map: nodes link to their service; pointing at one keeps only its neighbors and its calls colored, with the numbers of
 * each call.
 */
export function MapView({
  nodes: given,
  edges: calls,
  each = false,
}: {
  nodes: readonly ServiceNode[];
  edges: readonly ServiceEdge[];
  /** Shows each database, where otherwise those of one product are one node. */
  each?: boolean;
}) {
  const { nodes, edges } = useMemo(
    () => (each ? { nodes: given.map(shownNode), edges: calls } : groupDatabases(given, calls)),
    [given, calls, each],
  );
  const [active, setActive] = useState<string | null>(null);
  const list = useOneStop<HTMLUListElement>();
  const { alerts } = useFiring();
  const near = useMemo(() => (active === null ? null : nearOf(active, edges)), [active, edges]);
  const frame = useRef<HTMLElement>(null);
  const room = useClientSize(frame, 'clientWidth', Number.POSITIVE_INFINITY);
  const map = useMemo(() => fitMap(nodes, edges, room), [nodes, edges, room]);
  const rate = useMemo(() => rateFormat(nodes.map((node) => node.rate)), [nodes]);
  const isFar = (edge: ServiceEdge) => active !== null && edge.source !== active && edge.target !== active;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
    <section ref={frame} className={classes.scroll} aria-label="Map of services" tabIndex={0}>
      <div className={classes.fitted} style={{ width: map.width, height: map.height }}>
        <div className={classes.map} style={{ width: map.width, height: map.height }}>
          <Edges map={map} isFar={isFar} />
          <Labels edges={map.edges.filter(({ edge }) => active !== null && !isFar(edge))} rate={rate} />
          <ul ref={list} className={classes.nodes} aria-label="Services">
            {map.nodes.map(({ node, x, y }) => (
              <li
                key={node.id}
                className={classes.place}
                data-far={(near !== null && !near.has(node.id)) || undefined}
                style={{
                  left: x - map.nodeWidth / 2,
                  top: y - NODE.height / 2,
                  width: map.nodeWidth,
                  height: NODE.height,
                }}
                onPointerEnter={() => setActive(node.id)}
                onPointerLeave={() => setActive(null)}
                onFocus={() => setActive(node.id)}
                onBlur={() => setActive(null)}
              >
                <NodeCard
                  node={node}
                  rate={rate}
                  firing={node.kind === 'service' ? ofService(alerts, node.name) : []}
                />
              </li>
            ))}
          </ul>
        </div>
      </div>
    </section>
  );
}

/** A service and those that it calls or that call it. */
function nearOf(id: string, edges: readonly ServiceEdge[]): ReadonlySet<string> {
  const ids = new Set([id]);
  for (const { source, target } of edges) {
    if (source === id) ids.add(target);
    if (target === id) ids.add(source);
  }
  return ids;
}

function Edges({
  map: { width, height, edges },
  isFar,
}: {
  map: Placed<ShownNode, ServiceEdge>;
  isFar: (edge: ServiceEdge) => boolean;
}) {
  const busiest = Math.max(0, ...edges.map(({ edge }) => edge.rate));
  return (
    <svg width={width} height={height} aria-hidden className={classes.edges}>
      {edges.map(({ edge, points }) => (
        <g
          key={`${edge.source} ${edge.target}`}
          className={classes.edge}
          data-health={healthOf(edge.errors)}
          data-far={isFar(edge) || undefined}
        >
          <path d={curve(points)} strokeWidth={strokeOf(edge.rate, busiest)} />
          <Arrow points={points} />
        </g>
      ))}
    </svg>
  );
}

/** The numbers of calls. */
function Labels({
  edges,
  rate,
}: Pick<Placed<ShownNode, ServiceEdge>, 'edges'> & { rate: (perSecond: number) => string }) {
  return edges.map(({ edge, label }) => (
    <span
      key={`${edge.source} ${edge.target}`}
      aria-hidden
      className={classes.label}
      data-health={healthOf(edge.errors)}
      style={{ left: label.x, top: label.y }}
    >
      {rate(edge.rate)} · {formatPercent(edge.errors)} · {formatDuration(edge.p95_ns)}
    </span>
  ));
}

function NodeCard({
  node,
  rate,
  firing,
}: {
  node: ShownNode;
  rate: (perSecond: number) => string;
  firing: readonly AlertInstance[];
}) {
  const scope = useScope();
  const scheme = useComputedColorScheme();
  const Icon = ICONS[node.kind];
  const content = (
    <>
      <span className={classes.name}>
        <Icon
          size={15}
          stroke={1.6}
          aria-hidden
          {...(node.kind === 'service' && { color: serviceColour(node.name, scheme) })}
        />
        <span className="truncate">{node.title}</span>
        {node.about !== '' && <span className={classes.about}>{node.about}</span>}
        <FiringMark alerts={firing} />
      </span>
      <span className={classes.load}>
        <span>{rate(node.rate)}</span>
        <span data-health={healthOf(node.errors)}>{formatPercent(node.errors)}</span>
        <span>{formatDuration(node.p95_ns)}</span>
      </span>
    </>
  );
  const health = healthOf(node.errors);
  if (node.kind !== 'service') {
    return (
      <div className={classes.node} data-kind={node.kind} data-health={health} title={node.name}>
        {content}
      </div>
    );
  }
  return (
    <Link
      to="/w/$ws/$project/services/$service"
      params={{ ...scope, service: node.name }}
      className={classes.node}
      data-kind={node.kind}
      data-health={health}
    >
      {content}
    </Link>
  );
}

/** The head of an arrow: an edge reaches its node horizontally. */
function Arrow({ points }: { points: readonly { x: number; y: number }[] }) {
  const [from, to] = points.slice(-2);
  if (!from || !to) return null;
  const angle = to.x >= from.x ? 0 : 180;
  return (
    <path className={classes.head} d="M0 0L-7 -3.5L-7 3.5Z" transform={`translate(${to.x} ${to.y}) rotate(${angle})`} />
  );
}
