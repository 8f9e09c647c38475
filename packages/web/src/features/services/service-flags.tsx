import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { useOql } from '../../telemetry/oql.ts';
import { asRecords, plainText } from '../../telemetry/results.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { formatDuration, formatNumber, formatPercent } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { TableSkeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { evaluatedFlagsQuery, variantsQuery } from './service-health.ts';
import classes from './services.module.css';

/** The flags that a service reported evaluating, with the outcome of the requests for each variant. */
export function ServiceFlags({ service }: { service: string }) {
  const evaluated = useOql(evaluatedFlagsQuery(service), { keep: true });
  const flags = (evaluated.data?.result.rows ?? []).flatMap(([key]) =>
    typeof key === 'string' && key !== '' ? [key] : [],
  );
  const answer = useOql(flags.length === 0 ? null : variantsQuery(service, flags), { keep: true });
  const variants = useMemo(() => (answer.data ? asRecords(answer.data.result) : []), [answer.data]);
  const failed = [evaluated, answer].find(({ isError }) => isError);
  return (
    <Panel title="Flags" tight>
      {failed ? (
        <ErrorState compact error={failed.error} onRetry={() => void failed.refetch()} />
      ) : evaluated.isPending || (flags.length > 0 && answer.isPending) ? (
        <TableSkeleton rows={5} />
      ) : flags.length === 0 ? (
        <p className={classes.none}>The service reported no flag evaluations in this window.</p>
      ) : (
        flags.map((flag) => (
          <FlagVariants key={flag} flag={flag} variants={variants.filter((row) => row.flag === flag)} />
        ))
      )}
    </Panel>
  );
}

function FlagVariants({ flag, variants }: { flag: string; variants: readonly Record<string, unknown>[] }) {
  const scope = useScope();
  return (
    <DataTable
      label={`Variants of ${flag}`}
      rows={variants}
      rowKey={(row) => String(row.variant)}
      columns={[
        {
          id: 'variant',
          header: (
            <AppLink className="mono" to="/w/$ws/$project/flags/$key" params={{ ...scope, key: flag }}>
              {flag}
            </AppLink>
          ),
          cell: (row) => (row.variant === null ? <span className="dim">error</span> : plainText(row.variant)),
        },
        { id: 'n', header: 'Evaluations', numeric: true, width: 100, cell: (row) => formatNumber(Number(row.n)) },
        {
          id: 'errors',
          header: 'Errors',
          numeric: true,
          width: 80,
          cell: (row) => (row.errors === null ? '–' : formatPercent(Number(row.errors))),
        },
        {
          id: 'p95',
          header: 'p95',
          numeric: true,
          width: 90,
          cell: (row) => (row.p95 === null ? '–' : formatDuration(Number(row.p95))),
        },
      ]}
    />
  );
}
