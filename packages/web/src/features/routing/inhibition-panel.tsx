import { removeInhibitionRule } from '@fanion/contract';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MatcherList } from '../../alerting/matcher-list.tsx';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ActionIcon, Button } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { InhibitionDialog } from './inhibition-dialog.tsx';
import { type InhibitionRule, inhibitionRulesQuery, refreshRouting } from './queries.ts';
import classes from './routing.module.css';

/** Which alerts hold others back while they fire. */
export function InhibitionPanel() {
  const { ws } = useScope();
  const canWrite = useCan('alerts:write');
  const { data, error, refetch } = useQuery(inhibitionRulesQuery(ws));
  const [editing, setEditing] = useState<InhibitionRule | 'new' | null>(null);
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
      {error ? (
        <ErrorState compact error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label="Loading the inhibition rules" />
      ) : data.length === 0 ? (
        <span className="dim">
          No inhibition rules yet. For example, a critical alert of a service can hold back its warnings.
        </span>
      ) : (
        <InhibitionTable rules={data} canWrite={canWrite} onEdit={setEditing} />
      )}
      <InhibitionDialog rule={editing} onClose={() => setEditing(null)} />
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
  const confirm = useConfirm();
  const remove = async ({ id, name }: InhibitionRule) => {
    const sure = await confirm({
      title: `Delete the inhibition rule ${name}?`,
      body: 'Alerts that it holds back are notified if they still fire.',
      action: 'Delete rule',
      danger: true,
    });
    if (!sure) return;
    await call(removeInhibitionRule, { params: { ws, id } })
      .then(() => toastDone(`The inhibition rule ${name} is deleted`))
      .catch(toastError);
    await refreshRouting();
  };
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
        {
          id: 'actions',
          header: <span className="visually-hidden">Actions</span>,
          width: 90,
          cell: (rule) =>
            canWrite && (
              <span className={classes.actions}>
                <ActionIcon aria-label={`Edit ${rule.name}`} onClick={() => onEdit(rule)}>
                  <IconPencil size={15} stroke={1.6} />
                </ActionIcon>
                <ActionIcon aria-label={`Delete ${rule.name}`} onClick={() => void remove(rule)}>
                  <IconTrash size={15} stroke={1.6} />
                </ActionIcon>
              </span>
            ),
        },
      ]}
    />
  );
}
