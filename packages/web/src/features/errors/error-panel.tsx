import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { quote } from '../../telemetry/oql.ts';
import { DockedPanel } from '../../ui/docked-panel.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { formatNumber, formatPercent } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { useOneStop } from '../../ui/one-stop.ts';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { WhyList } from '../why/why-list.tsx';
import { byFlag, nameOf, stateText } from './error-words.ts';
import classes from './errors.module.css';
import { type ErrorDetail, errorQuery, explainedErrorQuery } from './queries.ts';
import { StateActions } from './state-actions.tsx';

/** One error: what it is, since when, which flag variants its traces saw, and the traces. */
export function ErrorPanel({ id, onClose, onMove }: { id: string; onClose: () => void; onMove: (by: 1 | -1) => void }) {
  const scope = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const { data, error, refetch } = useQuery(errorQuery(scope, range, { id, environment }));
  return (
    <DockedPanel title={data === undefined ? 'Error' : nameOf(data)} onClose={onClose} onMove={onMove}>
      {error && data === undefined ? (
        <ErrorState compact error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <TableSkeleton rows={13} label="Loading the error" />
      ) : (
        <Detail error={data} />
      )}
    </DockedPanel>
  );
}

function Detail({ error }: { error: ErrorDetail }) {
  return (
    <div className={classes.detail}>
      <p className={classes.full}>{error.message}</p>
      <StateActions error={error} />
      {error.is_regression && (
        <Notice kind="error">It occurred again after {error.changed_by ?? 'somebody'} resolved it.</Notice>
      )}
      <About error={error} />
      <Causes error={error} />
      <Variants error={error} />
      <Occurrences error={error} />
      {error.stack !== '' && (
        <section>
          <h3>Stack</h3>
          <pre className={classes.stack}>{error.stack}</pre>
        </section>
      )}
    </div>
  );
}

function About({ error }: { error: ErrorDetail }) {
  const { new_since: since, changed_at, changed_by, comment } = error;
  return (
    <Facts>
      <Fact name="State">
        <StateLabel {...stateText(error)} />
        {changed_at !== null && (
          <span className="dim">
            {' '}
            set by {changed_by ?? 'a former member'} <Timestamp value={changed_at} ago />
          </span>
        )}
        {comment !== null && <div className={classes.full}>{comment}</div>}
      </Fact>
      <Fact name="In this window">{formatNumber(error.count)}</Fact>
      <Fact name="First seen">
        <Timestamp value={error.first_seen} ago />
        {since !== null && ` after the deploy of ${since.service} ${since.version}`}
      </Fact>
      <Fact name="Last seen">
        <Timestamp value={error.last_seen} ago />
      </Fact>
      <Fact name="Services">{error.services.join(', ')}</Fact>
      <Fact name="Versions">
        {error.versions.length === 0 ? <span className="dim">not sent</span> : error.versions.join(', ')}
      </Fact>
    </Facts>
  );
}

function Occurrences({ error }: { error: ErrorDetail }) {
  const scope = useScope();
  const occurrences = useOneStop<HTMLUListElement>();
  return (
    <section>
      <h3>Latest occurrences</h3>
      {error.occurrences.length === 0 ? (
        <p className="dim">None in this window.</p>
      ) : (
        <ul ref={occurrences} className={classes.occurrences} aria-label="Latest occurrences">
          {error.occurrences.map(({ time, trace_id, span_id, service, version }, index) => (
            <li key={`${time} ${span_id ?? index}`}>
              <Timestamp value={time} recent />
              <span className="truncate">
                {service} <span className="dim">{version}</span>
              </span>
              {trace_id === null ? (
                <span className="dim">no trace</span>
              ) : (
                <AppLink
                  to="/w/$ws/$project/traces/$traceId"
                  params={{ ...scope, traceId: trace_id }}
                  search={span_id === null ? {} : { span: span_id }}
                >
                  Open trace
                </AppLink>
              )}
            </li>
          ))}
        </ul>
      )}
      {error.type !== '' && (
        <AppLink
          to="/w/$ws/$project/explore"
          params={scope}
          search={{
            q: `events | where name == "exception" and exception.type == ${quote(error.type)} | stats n=count() by service.name, bucket(auto)`,
          }}
        >
          Explore its events
        </AppLink>
      )}
    </section>
  );
}

/** The causes of the error: what its traces have, and others of its services have not. */
function Causes({ error: { id, type, message } }: { error: ErrorDetail }) {
  const scope = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const { data, error, refetch } = useQuery(explainedErrorQuery(scope, range, { id, environment }));
  return (
    <section aria-label="Why">
      <h3>Why</h3>
      <Loaded query={{ data, error, refetch }} label="Comparing its traces with others" compact>
        {(data) => (
          <WhyList
            why={data.why}
            project={scope.project}
            environment={environment}
            comment={`Error: ${nameOf({ type, message })}`}
          />
        )}
      </Loaded>
    </section>
  );
}

/** The share of traces with the error, by the variants that they saw. */
function Variants({ error: { variants } }: { error: ErrorDetail }) {
  const scope = useScope();
  const flags = byFlag(variants);
  return (
    <section>
      <h3>By flag variant</h3>
      {flags.length === 0 ? (
        <EmptyState compact title="No flags in its traces">
          Evaluations count here if they carry the trace, as the OpenTelemetry hook of OpenFeature reports them.
        </EmptyState>
      ) : (
        flags.map(({ flag, variants: own, finding }) => (
          <table key={flag} className={classes.variants} aria-label={`Variants of ${flag}`}>
            <caption>
              <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...scope, key: flag }}>
                {flag}
              </AppLink>
              {finding !== undefined && <span className={classes.finding}>{finding}</span>}
            </caption>
            <tbody>
              {own.map(({ variant, traces, failing, share }) => (
                <tr key={variant}>
                  <th scope="row">{variant === '' ? '(none)' : variant}</th>
                  <td>{formatPercent(share)}</td>
                  <td className="dim">
                    {formatNumber(failing)} of {formatNumber(traces)} traces
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        ))
      )}
    </section>
  );
}
