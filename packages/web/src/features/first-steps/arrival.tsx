import { getTelemetryStatus } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { routeQuery } from '../../api/queries.ts';
import { metaQuery } from '../../app/meta-query.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { countOf } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import classes from './first-steps.module.css';

/** Polling intervals in milliseconds, before and after the first data arrive. */
const WAITING = 2000;
const ARRIVED = 10_000;

const NAMES = { traces: 'Traces', logs: 'Logs', metrics: 'Metrics', profiles: 'Profiles' } as const;
const ITEMS = { traces: 'span', logs: 'log line', metrics: 'data point', profiles: 'sample' } as const;

/** The project's telemetry status, polled while the page is open. */
export function useArrival() {
  const { ws, project } = useScope();
  return useQuery({
    ...routeQuery(getTelemetryStatus, { params: { ws, p: project } }),
    refetchInterval: (query) => (query.state.data?.arrived ? ARRIVED : WAITING),
    staleTime: 0,
  });
}

/** Shows live which signals have arrived, with links to them. */
export function Arrival() {
  const scope = useScope();
  const { data, error } = useArrival();
  const { data: meta } = useQuery(metaQuery);
  const taken = new Set(meta?.capabilities.signals ?? []);
  return (
    <Panel title={data?.arrived ? 'Data has arrived' : 'Waiting for data'}>
      <div role="status" aria-live="polite">
        <ul className={classes.signals} aria-label="Signals">
          {data?.signals
            .filter((signal) => taken.has(signal.signal))
            .map((signal) => (
              <li key={signal.signal} className={classes.signal}>
                <span className={classes.dot} data-arrived={signal.arrived || undefined} />
                <span>{NAMES[signal.signal]}</span>
                <span className="dim num">{signal.arrived ? <Timestamp value={signal.last_at} ago /> : 'waiting'}</span>
                {signal.arrived && (
                  <span className={classes.detail}>
                    {countOf(signal.items, ITEMS[signal.signal])}
                    {signal.services.length > 0 && ` from ${nameSome(signal.services)}`}
                    {signal.sdks[0] && `, ${signal.sdks[0].language} SDK ${signal.sdks[0].version}`}
                  </span>
                )}
              </li>
            ))}
        </ul>
      </div>
      <ErrorNotice error={error} />
      {data?.arrived && (
        <div className={classes.next}>
          <ScopeLink to="/w/$ws/$project/traces">See the traces</ScopeLink>
          <ScopeLink to="/w/$ws/$project/logs">Read the logs</ScopeLink>
          <AppLink
            to="/w/$ws/$project/explore"
            params={scope}
            search={{ q: 'spans | stats n=count(), p99=p99(duration) by service.name' }}
          >
            Ask for requests and latency per service
          </AppLink>
        </div>
      )}
    </Panel>
  );
}

/** `a, b and 3 more`. */
function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, 2);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(' and ');
}
