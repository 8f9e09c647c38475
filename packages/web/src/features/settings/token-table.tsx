import { type listTokens, type RouteResponse, removeToken } from '@fanion/contract';
import { IconTrash } from '@tabler/icons-react';
import { call } from '../../api/client.ts';
import { inWorkspace } from '../../api/queries.ts';
import { queryClient } from '../../app/query-client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ActionIcon } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';

export type Token = RouteResponse<typeof listTokens>[number];

/** A table of secrets: name, prefix, the columns common to both kinds, and a revoke button. */
export function TokenTable({
  label,
  noun,
  rows,
  columns,
}: {
  label: string;
  noun: string;
  rows: readonly Token[];
  columns: readonly Column<Token>[];
}) {
  const { ws } = useScope();
  const canWrite = useCan('tokens:write');
  const confirm = useConfirm();
  const revoke = async (token: Token) => {
    const sure = await confirm({
      title: `Revoke ${token.name}?`,
      body: `Requests with this ${noun} are rejected immediately. This cannot be undone.`,
      action: `Revoke ${noun}`,
      danger: true,
    });
    if (!sure) return;
    await call(removeToken, { params: { id: token.id }, query: inWorkspace(ws) })
      .then(() => toastDone(`${token.name} is revoked`))
      .catch(toastError);
    await queryClient.invalidateQueries({ queryKey: ['tokens.list'] });
  };
  return (
    <Panel tight>
      <DataTable
        label={label}
        rows={rows}
        rowKey={(token) => token.id}
        columns={[
          { id: 'name', header: 'Name', sortBy: (token) => token.name, cell: (token) => token.name },
          { id: 'prefix', header: 'Prefix', width: 160, cell: (token) => <code>{token.prefix}…</code> },
          ...columns,
          {
            id: 'used',
            header: 'Last used',
            width: 110,
            sortBy: (token) => token.last_used_at ?? '',
            cell: (token) =>
              token.last_used_at ? <Timestamp value={token.last_used_at} ago /> : <span className="dim">never</span>,
          },
          {
            id: 'created',
            header: 'Created',
            width: 110,
            sortBy: (token) => token.created_at,
            cell: (token) => <Timestamp value={token.created_at} ago />,
          },
          {
            id: 'actions',
            header: <span className="visually-hidden">Actions</span>,
            width: 56,
            cell: (token) =>
              canWrite && (
                <ActionIcon aria-label={`Revoke ${token.name}`} onClick={() => void revoke(token)}>
                  <IconTrash size={15} stroke={1.6} />
                </ActionIcon>
              ),
          },
        ]}
      />
    </Panel>
  );
}
