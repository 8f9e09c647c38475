import { useQuery } from '@tanstack/react-query';
import { ScopeLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { ServiceName } from '../../telemetry/service-name.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { HappeningLink } from '../timeline/happening-link.tsx';
import type { Happening, HappeningKind } from '../timeline/happenings.ts';
import { happeningsQuery } from '../timeline/queries.ts';
import classes from './home.module.css';
import { HomePanel, ROWS } from './home-panel.tsx';

const LAST_WEEK = { from: 'now-7d', to: 'now' };
/** Deploys are found in the spans of their time, so a short one. */
const LAST_DAY = { from: 'now-1d', to: 'now' };

function useNewest(range: typeof LAST_WEEK, kind: HappeningKind) {
  const scope = useScope();
  const environment = useEnvironment();
  const query = happeningsQuery(scope, range, { kind, environment, limit: ROWS });
  return useQuery({ ...query, enabled: scope.project !== NO_PROJECT });
}

/** The newest changes of flags, whatever the window of the page. */
export function FlagChangesPanel() {
  const { data, error, isPending } = useNewest(LAST_WEEK, 'flag');
  return (
    <HomePanel
      title="Latest flag changes"
      isPending={isPending && !error}
      more={<ScopeLink to="/w/$ws/$project/timeline">Open the timeline</ScopeLink>}
    >
      {error ? (
        <ErrorState compact error={error} />
      ) : data === undefined || data.length === 0 ? (
        <p className={classes.none}>No flag was changed in the last 7 days.</p>
      ) : (
        <DataTable
          label="Latest flag changes"
          rows={data}
          rowKey={({ id }) => id}
          columns={[
            { id: 'what', header: 'Change', cell: (one) => <HappeningLink happening={one}>{one.text}</HappeningLink> },
            ENVIRONMENT,
            { id: 'by', header: 'By', width: 130, cell: ({ author }: Happening) => author ?? '–' },
            WHEN,
          ]}
        />
      )}
    </HomePanel>
  );
}

/** The newest versions of services. */
export function DeploysPanel() {
  const { data, error, isPending } = useNewest(LAST_DAY, 'deploy');
  return (
    <HomePanel title="Latest deploys" isPending={isPending && !error}>
      {error ? (
        <ErrorState compact error={error} />
      ) : data === undefined || data.length === 0 ? (
        <p className={classes.none}>No service reported a new service.version in the last day.</p>
      ) : (
        <DataTable
          label="Latest deploys"
          rows={data}
          rowKey={({ id }) => id}
          columns={[
            {
              id: 'service',
              header: 'Service',
              cell: (one) => (
                <HappeningLink happening={one}>
                  <ServiceName name={one.service ?? ''} />
                </HappeningLink>
              ),
            },
            {
              id: 'version',
              header: 'Version',
              width: 150,
              cell: ({ version }) => <span className="mono">{version}</span>,
            },
            ENVIRONMENT,
            WHEN,
          ]}
        />
      )}
    </HomePanel>
  );
}

const ENVIRONMENT = {
  id: 'environment',
  header: 'Environment',
  width: 130,
  cell: ({ environment }: Happening) => environment ?? <span className="dim">all</span>,
};
const WHEN = { id: 'when', header: 'When', width: 90, cell: ({ time }: Happening) => <Timestamp value={time} ago /> };
