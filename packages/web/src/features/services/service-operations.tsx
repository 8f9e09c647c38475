import { useNavigate } from '@tanstack/react-router';
import { useScope } from '../../app/session.ts';
import { quote, useOql } from '../../telemetry/oql.ts';
import { asRecords } from '../../telemetry/results.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatPercent, rateFormat } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { operationsQuery } from './service-health.ts';

/** The operations of a service with rate, errors and latency. */
export function ServiceOperations({ service }: { service: string }) {
  const scope = useScope();
  const navigate = useNavigate();
  const answer = useOql(operationsQuery(service), { keep: true });
  if (answer.isPending) {
    return (
      <Panel title="Operations" tight>
        <TableSkeleton rows={6} label="Loading operations" />
      </Panel>
    );
  }
  if (!answer.data || answer.data.result.rows.length === 0) return null;
  const rows = asRecords(answer.data.result);
  const rate = rateFormat(rows.map((row) => Number(row.rate)));
  const number = (key: string) => (row: Record<string, unknown>) => Number(row[key] ?? 0);
  return (
    <Panel title="Operations" tight>
      <DataTable
        label="Operations"
        rows={rows}
        rowKey={(row) => String(row.name)}
        onRowClick={(row) =>
          void navigate({
            to: '/w/$ws/$project/traces',
            params: scope,
            search: { service, q: `name == ${quote(String(row.name))}` },
          })
        }
        columns={[
          { id: 'name', header: 'Operation', sortBy: (row) => String(row.name), cell: (row) => String(row.name) },
          { id: 'rate', header: 'Rate', width: 120, number: number('rate'), format: rate },
          { id: 'errors', header: 'Errors', width: 110, number: number('errors'), format: formatPercent },
          { id: 'p50', header: 'p50', width: 110, number: number('p50'), format: formatDuration },
          { id: 'p99', header: 'p99', width: 110, number: number('p99'), format: formatDuration },
        ]}
      />
    </Panel>
  );
}
