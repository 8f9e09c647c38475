import type { OqlAnswer } from '../../telemetry/oql.ts';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords, plainText } from '../../telemetry/results.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { versionsQuery } from './service-health.ts';
import classes from './services.module.css';

/** The versions of a service that served requests in the window, newest first. */
export function useVersions(service: string) {
  return useOql(versionsQuery(service), { keep: true });
}

/** The versions compared: when each was seen, and its performance. */
export function ServiceVersions({ answer }: { answer: OqlAnswer | undefined }) {
  if (!answer) {
    return (
      <Panel title="Deploys" tight>
        <TableSkeleton rows={5} />
      </Panel>
    );
  }
  return (
    <Panel title="Deploys" tight>
      {answer.result.rows.length === 0 ? (
        <p className={classes.none}>No version served requests in this window.</p>
      ) : (
        <DataTable
          label="Deploys"
          rows={asRecords(answer.result)}
          rowKey={(row, index) => `${row['resource.service.version']} ${index}`}
          columns={[
            {
              id: 'version',
              header: 'Version',
              cell: (row) =>
                row['resource.service.version'] ? (
                  <span className="mono">{plainText(row['resource.service.version'])}</span>
                ) : (
                  <span className="dim">not set (service.version)</span>
                ),
            },
            {
              id: 'first',
              header: 'First seen',
              width: 110,
              cell: (row) => <Timestamp value={plainText(row.first)} ago />,
            },
            { id: 'n', header: 'Requests', numeric: true, width: 90, cell: (row) => formatNumber(Number(row.n)) },
            {
              id: 'errors',
              header: 'Errors',
              numeric: true,
              width: 80,
              cell: (row) => formatPercent(Number(row.errors)),
            },
            { id: 'p95', header: 'p95', numeric: true, width: 90, cell: (row) => formatDuration(Number(row.p95)) },
          ]}
        />
      )}
    </Panel>
  );
}
