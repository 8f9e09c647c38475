import { getPrerequisites } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { type Dependency, layerFlags } from './dependency-layers.ts';
import classes from './prerequisites.module.css';

const MAX_FLAGS = 60;
const NODE = { width: 180, height: 32 } as const;
const GAP = { x: 90, y: 14 } as const;

interface Graph {
  dependencies: Dependency[];
  /** There are more flags than were loaded. */
  cut: boolean;
}

/** Loads all flags that a flag requires or that require it, step by step. */
async function walk(ws: string, p: string, start: string, signal: AbortSignal): Promise<Graph> {
  const found = new Map<string, Dependency>();
  const seen = new Set([start]);
  let next = [start];
  while (next.length > 0 && seen.size <= MAX_FLAGS) {
    const answers = await Promise.all(
      next.map((key) => call(getPrerequisites, { params: { ws, p, key }, signal }).then(({ data }) => data)),
    );
    next = [];
    const visit = (key: string) => {
      if (seen.has(key)) return;
      seen.add(key);
      next.push(key);
    };
    for (const { flag, prerequisites, dependents } of answers) {
      for (const required of prerequisites) {
        found.set(`${required.flag}\n${flag}`, { from: required.flag, to: flag, variants: required.variants });
        visit(required.flag);
      }
      // The variants that a dependent requires are known once it is visited.
      for (const dependent of dependents) visit(dependent);
    }
  }
  return { dependencies: [...found.values()], cut: next.length > 0 };
}

/** A flag with its prerequisites (left) and its dependents (right). */
export function PrerequisitesGraph({ flag }: { flag: string }) {
  const scope = useScope();
  const graph = useQuery({
    queryKey: [getPrerequisites.id, 'graph', scope.ws, scope.project, flag],
    queryFn: ({ signal }) => walk(scope.ws, scope.project, flag, signal),
  });
  if (graph.isError) return <ErrorState compact error={graph.error} onRetry={() => void graph.refetch()} />;
  if (graph.isPending) return <Loading />;
  const { dependencies, cut } = graph.data;
  if (dependencies.length === 0)
    return (
      <p className="dim">
        <code>{flag}</code> requires no other flag, and none requires it.
      </p>
    );
  const places = layerFlags(flag, dependencies);
  const at = new Map(
    places.map(({ key, column, row }) => [key, { x: column * (NODE.width + GAP.x), y: row * (NODE.height + GAP.y) }]),
  );
  const width = Math.max(...[...at.values()].map(({ x }) => x)) + NODE.width;
  const height = Math.max(...[...at.values()].map(({ y }) => y)) + NODE.height;
  return (
    <>
      <nav className={classes.graph} aria-label="Graph of prerequisites">
        <svg className={classes.edges} width={width} height={height} aria-hidden>
          {dependencies.map(({ from, to, variants }) => (
            <Edge key={`${from} ${to}`} from={at.get(from)} to={at.get(to)} variants={variants} />
          ))}
        </svg>
        {places.map(({ key }) => (
          <Link
            key={key}
            className={`${classes.node} truncate`}
            style={{ left: at.get(key)?.x, top: at.get(key)?.y }}
            to="/w/$ws/$project/flags/$key"
            params={{ ...scope, key }}
            search={{ tab: 'prerequisites' }}
            title={key}
            {...(key === flag && { 'aria-current': 'true' })}
          >
            {key}
          </Link>
        ))}
      </nav>
      <ul className="visually-hidden" aria-label="Dependencies">
        {dependencies.map(({ from, to, variants }) => (
          <li key={`${from} ${to}`}>
            {to} requires {from} to serve {variants.join(' or ')}
          </li>
        ))}
      </ul>
      {cut && <p className="dim">Only the {MAX_FLAGS} nearest flags are shown.</p>}
    </>
  );
}

interface Place {
  x: number;
  y: number;
}

/** The arrow between two flags at their places, with the variants that are required. */
function Edge({
  from,
  to,
  variants,
}: { from: Place | undefined; to: Place | undefined } & Pick<Dependency, 'variants'>) {
  if (!from || !to) return null;
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2];
  const [x2, y2] = [to.x, to.y + NODE.height / 2];
  const bend = GAP.x / 2;
  return (
    <g>
      <path
        d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
        fill="none"
        stroke="var(--f-border-strong)"
        strokeWidth={1.5}
      />
      <path d={`M${x2 - 6} ${y2 - 4}L${x2} ${y2}L${x2 - 6} ${y2 + 4}z`} fill="var(--f-border-strong)" />
      <text x={x2 - 10} y={y2 - 5} textAnchor="end" fontSize={11} fill="var(--f-dim)">
        {variants.join(', ').slice(0, 14)}
      </text>
    </g>
  );
}
