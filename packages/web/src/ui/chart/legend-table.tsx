import { useMemo } from 'react';
import { type Column, DataTable } from '../data-table.tsx';
import classes from './chart.module.css';
import { type Series, type SeriesSummary, summarize } from './series.ts';

type Row = SeriesSummary & Pick<Series, 'label' | 'colour'>;

const ROWS = 8;
const ROW_HEIGHT = 22;
const HEADER_HEIGHT = 34;

function valueColumn(id: keyof SeriesSummary, header: string, format: (value: number) => string): Column<Row> {
  return {
    id,
    header,
    numeric: true,
    width: 110,
    sortBy: (row: Row) => row[id] ?? Number.NEGATIVE_INFINITY,
    cell: (row: Row) => {
      const value = row[id];
      return value === null ? '–' : format(value);
    },
  };
}

/** The legend of a chart as a table that sorts, at first by mean: hovering over a series highlights it, a click shows only that one. */
export function LegendTable({
  chart,
  series,
  isolated,
  format,
  onHover,
  onIsolate,
}: {
  /** The label of the chart. */
  chart: string;
  series: readonly Series[];
  /** The label of the only series that is shown. */
  isolated: string | undefined;
  format: (value: number) => string;
  onHover: (label: string | null) => void;
  onIsolate: (label: string) => void;
}) {
  const rows = useMemo(
    () =>
      series
        .map(({ label, colour, values }): Row => ({ label, colour, ...summarize(values) }))
        .sort((a, b) => (b.mean ?? 0) - (a.mean ?? 0)),
    [series],
  );
  const longest = Math.max(6, ...rows.map(({ label }) => label.length));
  return (
    <DataTable
      label={`Series of ${chart}`}
      rows={rows}
      rowKey={({ label }) => label}
      onRowClick={({ label }) => onIsolate(label)}
      onRowHover={(row) => onHover(row?.label ?? null)}
      selectedKey={isolated}
      height={Math.min(ROWS, rows.length) * ROW_HEIGHT + HEADER_HEIGHT}
      dense
      fit
      columns={[
        {
          id: 'label',
          header: 'Series',
          width: Math.min(520, 56 + longest * 7.2),
          sortBy: ({ label }) => label,
          cell: ({ label, colour }) => (
            <span className={classes.named} title={label}>
              <span className={classes.dot} style={{ background: colour }} />
              <span className="truncate">{label}</span>
            </span>
          ),
        },
        valueColumn('last', 'Last', format),
        valueColumn('mean', 'Mean', format),
        valueColumn('max', 'Max', format),
      ]}
    />
  );
}
