import { removeInhibitionRule } from '@fanion/contract';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MatcherList } from '../../alerting/matcher-list.tsx';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { type Edited, EditSavedDialog } from '../../app/edit-dialog.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Button } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Listed } from '../../ui/resource/loaded.tsx';
import { editAndDelete } from '../../ui/resource/row-buttons.tsx';
import { InhibitionForm } from './inhibition-form.tsx';
import { type InhibitionRule, inhibitionRulesQuery, refreshRouting } from './queries.ts';

/** Which alerts hold others back while they fire. */
export function InhibitionPanel() {
  const { ws } = useScope();
  const canWrite = useCan('alerts:write');
  const { data, error, refetch } = useQuery(inhibitionRulesQuery(ws));
  const [editing, setEditing] = useState<Edited<InhibitionRule>>(null);
  return (
    <Panel
      title="Inhibition"
      tight={data !== undefined && data.length > 0}
      actions={
        canWrite && (
          <Button variant="default" size="xs" leftSection={<IconPlus size={14} />} onClick={() => setEditing('new')}>
            Create inhibition rule
          </Button>
        )
      }
    >
      <Listed
        query={{ data, error, refetch }}
        label="Loading the inhibition rules"
        compact
        empty={
          <span className="dim">
            No inhibition rules yet. For example, a critical alert of a service can hold back its warnings.
          </span>
        }
      >
        {(data) => <InhibitionTable rules={data} canWrite={canWrite} onEdit={setEditing} />}
      </Listed>
      <EditSavedDialog editing={editing} rows={data} what="inhibition rule" size={640} onClose={() => setEditing(null)}>
        {(rule) => <InhibitionForm rule={rule} onClose={() => setEditing(null)} />}
      </EditSavedDialog>
    </Panel>
  );
}

function InhibitionTable({
  rules,
  canWrite,
  onEdit,
}: {
  rules: readonly InhibitionRule[];
  canWrite: boolean;
  onEdit: (rule: InhibitionRule) => void;
}) {
  const { ws } = useScope();
  const deleteIt = useDelete();
  const remove = ({ id, name }: InhibitionRule) =>
    deleteIt({
      name: `the inhibition rule ${name}`,
      body: 'Alerts that it holds back are notified if they still fire.',
      action: 'Delete rule',
      run: () => call(removeInhibitionRule, { params: { ws, id } }),
      refresh: refreshRouting,
    });
  return (
    <DataTable
      label="Inhibition rules"
      rows={rules}
      rowKey={({ id }) => id}
      columns={[
        { id: 'name', header: 'Rule', width: 220, cell: ({ name }) => name, sortBy: ({ name }) => name.toLowerCase() },
        { id: 'source', header: 'While this fires', cell: ({ source }) => <MatcherList matchers={source} /> },
        { id: 'target', header: 'This is held back', cell: ({ target }) => <MatcherList matchers={target} /> },
        {
          id: 'equal',
          header: 'If equal',
          width: 180,
          cell: ({ equal }) =>
            equal.length === 0 ? <span className="dim">always</span> : <span className="mono">{equal.join(', ')}</span>,
        },
        editAndDelete<InhibitionRule>({
          may: () => canWrite,
          onEdit,
          onDelete: (rule) => void remove(rule),
        }),
      ]}
    />
  );
}
