import { listTokens, type RouteResponse, removeToken } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { inWorkspace } from '../../api/queries.ts';
import { useConfirmed } from '../../app/confirmed.ts';
import { invalidate } from '../../app/query-client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/page.tsx';
import { DeleteButton } from '../../ui/resource/row-buttons.tsx';

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
  const confirmed = useConfirmed();
  const revoke = ({ id, name }: Token) =>
    confirmed({
      title: `Revoke ${name}?`,
      body: `Requests with this ${noun} are rejected immediately. This cannot be undone.`,
      action: `Revoke ${noun}`,
      danger: true,
      run: () => call(removeToken, { params: { id }, query: inWorkspace(ws) }),
      done: `${name} is revoked`,
      refresh: () => invalidate(listTokens),
    });
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
          { id: 'used', header: 'Last used', width: 110, ago: (token) => token.last_used_at, never: 'never' },
          { id: 'created', header: 'Created', width: 110, ago: (token) => token.created_at },
          {
            width: 56,
            buttons: (token) =>
              canWrite && <DeleteButton label={`Revoke ${token.name}`} onClick={() => void revoke(token)} />,
          },
        ]}
      />
    </Panel>
  );
}
