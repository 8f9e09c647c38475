import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/page.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { StateLabel } from '../alerts/alert-state.tsx';
import { phaseRows } from './phase-rows.ts';
import type { Experiment, Results } from './queries.ts';

const COLUMNS: readonly Column<ReturnType<typeof phaseRows>[number]>[] = [
  { id: 'number', header: 'Phase', width: 70, numeric: true, cell: ({ number }) => number },
  { id: 'from', header: 'From', width: 170, cell: ({ from }) => <Timestamp value={from} /> },
  { id: 'to', header: 'To', width: 170, cell: ({ to }) => (to === null ? 'now' : <Timestamp value={to} />) },
  { id: 'served', header: 'Everybody else gets', cell: ({ served }) => served },
  { id: 'units', header: 'Units', cell: ({ units }) => units },
  { id: 'split', header: 'Split', width: 150, cell: ({ split, title }) => <StateLabel {...split} title={title} /> },
];

/** The times in which weights and audience did not change, each with its own sample ratio. */
export function PhasesPanel({ experiment, results }: { experiment: Experiment; results: Results }) {
  return (
    <Panel title="Phases">
      <DataTable
        label="Phases"
        columns={COLUMNS}
        rows={phaseRows(experiment, results.health)}
        rowKey={({ from }) => from}
      />
      <p className="dim">A unit belongs to the phase of its first exposure. Results compare units of one phase only.</p>
    </Panel>
  );
}
