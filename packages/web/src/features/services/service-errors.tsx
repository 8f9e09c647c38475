import { useNavigate } from '@tanstack/react-router';
import { useScope } from '../../app/session.ts';
import { quote, useOql } from '../../telemetry/oql.ts';
import { asRecords, plainText } from '../../telemetry/results.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatNumber } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { errorsQuery } from './service-health.ts';
import classes from './services.module.css';

/** The errors of a service, most frequent first; a row links to its traces. */
export function ServiceErrors({ service }: { service: string }) {
  const scope = useScope();
  const navigate = useNavigate();
  const answer = useOql(errorsQuery(service), { keep: true });
  return (
    <Panel title="Error messages" tight>
      {answer.isError ? (
        <ErrorState compact error={answer.error} onRetry={() => void answer.refetch()} />
      ) : answer.isPending ? (
        <TableSkeleton rows={5} />
      ) : answer.data.result.rows.length === 0 ? (
        <p className={classes.none}>No span of this service failed in this window.</p>
      ) : (
        <DataTable
          label="Errors"
          rows={asRecords(answer.data.result)}
          rowKey={(row) => `${row.name} ${row.status_message}`}
          onRowClick={(row) =>
            void navigate({
              to: '/w/$ws/$project/traces',
              params: scope,
              search: {
                service,
                status: 'error',
                q: `name == ${quote(plainText(row.name))} and status_message == ${quote(String(row.status_message ?? ''))}`,
              },
            })
          }
          columns={[
            {
              id: 'name',
              header: 'Span',
              cell: (row) => (
                <>
                  {plainText(row.name)}{' '}
                  {row.status_message !== '' && row.status_message !== null && (
                    <span className={classes.message}>{plainText(row.status_message)}</span>
                  )}
                </>
              ),
            },
            { id: 'n', header: 'Spans', numeric: true, width: 80, cell: (row) => formatNumber(Number(row.n)) },
            { id: 'last', header: 'Last', width: 100, cell: (row) => <Timestamp value={plainText(row.last)} ago /> },
          ]}
        />
      )}
    </Panel>
  );
}
