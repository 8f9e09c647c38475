import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf, formatPercent, formatTimestamp } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { type FlameNode, type FunctionTotal, functionTotals, matchedShare } from './flame.ts';
import { FlameGraph } from './flame-graph.tsx';
import { profileFormat } from './profile-units.ts';
import classes from './profiles.module.css';
import { diffQuery, flameQuery, type ProfileSelection, sandwichQuery } from './queries.ts';

/** About what a profile takes; pixels. */
export const VIEW_HEIGHT = 520;

interface ViewProps {
  selection: ProfileSelection;
  search: string;
  /** Called to show the callers and callees of a function. */
  onPick: (name: string) => void;
}

export function FlameView({ selection, search, onPick }: ViewProps) {
  const answer = useQuery({ ...flameQuery(selection), placeholderData: keepPreviousData });
  if (answer.isError) return <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.isPending) return <Skeleton height={VIEW_HEIGHT} label="Loading the profile" />;
  const { nodes, total, unit, samples } = answer.data;
  if (nodes.length === 0) return <NoSamples />;
  const format = profileFormat(unit);
  return (
    <div className={classes.sides}>
      <Functions nodes={nodes} total={total} format={format} onPick={onPick} narrow />
      <Panel
        title={`${format(total)} in ${countOf(samples, 'sample')}`}
        actions={<Matched nodes={nodes} search={search} />}
      >
        <FlameGraph
          label={`Flame graph of ${selection.type}, ${format(total)}`}
          nodes={nodes}
          total={total}
          format={format}
          search={search}
          onPick={onPick}
        />
        <p className={classes.note}>
          A color for each package. Click to zoom in, double-click to see the callers of a function.
        </p>
      </Panel>
    </div>
  );
}

export function DiffView({ selection, search, onPick }: ViewProps) {
  const answer = useQuery({ ...diffQuery(selection), placeholderData: keepPreviousData });
  if (answer.isError) return <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.isPending) return <Skeleton height={VIEW_HEIGHT} label="Comparing the profiles" />;
  const { nodes, total, base_total, unit, base } = answer.data;
  if (nodes.length === 0) return <NoSamples />;
  const format = profileFormat(unit);
  return (
    <Panel title={`${format(total)}, before ${format(base_total)}`} actions={<Matched nodes={nodes} search={search} />}>
      <FlameGraph
        label={`Difference of ${selection.type}: ${format(total)}, before ${format(base_total)}`}
        nodes={nodes}
        total={total}
        baseTotal={base_total}
        format={format}
        search={search}
        onPick={onPick}
      />
      <p className={classes.note}>
        Red takes a larger share than before, blue a smaller one. Before is {formatTimestamp(base.from)} to{' '}
        {formatTimestamp(base.to)}.
      </p>
    </Panel>
  );
}

export function SandwichView({ selection, name, search, onPick }: ViewProps & { name: string | undefined }) {
  const whole = useQuery({ ...flameQuery(selection), enabled: name === undefined });
  const answer = useQuery({
    ...sandwichQuery(selection, name ?? ''),
    enabled: name !== undefined,
    placeholderData: keepPreviousData,
  });
  if (name === undefined) {
    if (whole.isError) return <ErrorState error={whole.error} onRetry={() => void whole.refetch()} />;
    if (whole.isPending) return <Skeleton height={VIEW_HEIGHT} label="Loading the profile" />;
    const { nodes, total, unit } = whole.data;
    return nodes.length === 0 ? (
      <NoSamples />
    ) : (
      <Functions nodes={nodes} total={total} format={profileFormat(unit)} onPick={onPick} title="Pick a function" />
    );
  }
  if (answer.isError) return <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />;
  if (answer.isPending) return <Skeleton height={VIEW_HEIGHT} label="Loading the function" />;
  const { callers, callees, total, function_total, function_self, unit } = answer.data;
  const format = profileFormat(unit);
  if (callees.length === 0)
    return <EmptyState title="Not in this window">No sample in this window contains the function {name}.</EmptyState>;
  return (
    <Panel
      title={<span className="mono">{name}</span>}
      actions={
        <span className="dim">
          total {format(function_total)}, {formatPercent(total === 0 ? 0 : function_total / total)} · self{' '}
          {format(function_self)}
        </span>
      }
    >
      <h3>Who calls it</h3>
      <FlameGraph
        label={`Callers of ${name}`}
        nodes={callers}
        total={total}
        format={format}
        search={search}
        onPick={onPick}
      />
      <h3 className={classes.second}>What it calls</h3>
      <FlameGraph
        label={`Callees of ${name}`}
        nodes={callees}
        total={total}
        format={format}
        search={search}
        onPick={onPick}
      />
    </Panel>
  );
}

function NoSamples() {
  return (
    <EmptyState title="No samples in this window">
      Pick another profile type or service, or widen the time range.
    </EmptyState>
  );
}

function Matched({ nodes, search }: { nodes: readonly FlameNode[]; search: string }) {
  const share = useMemo(() => matchedShare(nodes, search), [nodes, search]);
  if (search.trim() === '') return null;
  return <span className="dim">{formatPercent(share)} matches</span>;
}

/** The functions of a profile as a table, which also makes them reachable by keyboard. */
function Functions({
  nodes,
  total,
  format,
  onPick,
  title = 'Functions',
  narrow = false,
}: {
  nodes: readonly FlameNode[];
  total: number;
  format: (value: number) => string;
  onPick: (name: string) => void;
  title?: string;
  /** Beside a graph, where there is no space for files and shares. */
  narrow?: boolean;
}) {
  const rows = useMemo(() => functionTotals(nodes), [nodes]);
  const share = (value: number) =>
    narrow
      ? formatPercent(total === 0 ? 0 : value / total)
      : `${format(value)}  ${formatPercent(total === 0 ? 0 : value / total)}`;
  const width = narrow ? 78 : 170;
  const file = {
    id: 'file',
    header: 'File',
    width: 300,
    cell: (row: FunctionTotal) => <span className="dim">{row.file}</span>,
  };
  return (
    <Panel title={title} tight>
      <DataTable
        label="Functions"
        rows={rows}
        rowKey={(row) => row.name}
        onRowClick={(row) => onPick(row.name)}
        height={Math.min(480, (rows.length + 1) * 32 + 2)}
        columns={[
          { id: 'name', header: 'Function', cell: (row) => <span className="mono">{row.name}</span> },
          ...(narrow ? [] : [file]),
          {
            id: 'self',
            header: 'Self',
            numeric: true,
            width,
            sortBy: (row) => row.self,
            cell: (row) => share(row.self),
          },
          {
            id: 'total',
            header: 'Total',
            numeric: true,
            width,
            sortBy: (row) => row.total,
            cell: (row) => share(row.total),
          },
        ]}
      />
    </Panel>
  );
}
