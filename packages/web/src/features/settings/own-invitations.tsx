import { acceptOwnInvitation, declineOwnInvitation, listOwnInvitations } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { routeQuery } from '../../api/queries.ts';
import { invalidate, queryClient } from '../../app/query-client.ts';
import { meQuery } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Button, Group } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';

interface Invitation {
  readonly id: string;
  readonly workspace: { readonly name: string };
}

const refresh = () =>
  Promise.all([invalidate(listOwnInvitations), queryClient.refetchQueries({ queryKey: meQuery.queryKey })]);

/** Open invitations of this account; renders nothing if there are none. */
export function OwnInvitations() {
  const invitations = useQuery(routeQuery(listOwnInvitations, { query: { limit: 100 } }));
  const rows = invitations.data ?? [];
  if (rows.length === 0) return null;
  const answer = (sent: Promise<unknown>, done: string) =>
    void sent
      .then(() => toastDone(done))
      .catch(toastError)
      .finally(() => void refresh());
  const accept = ({ id, workspace }: Invitation) =>
    answer(call(acceptOwnInvitation, { params: { id } }), `You joined ${workspace.name}`);
  const decline = ({ id, workspace }: Invitation) =>
    answer(call(declineOwnInvitation, { params: { id } }), `You declined the invitation to ${workspace.name}`);
  return (
    <Panel title="Invitations" tight>
      <DataTable
        label="Invitations"
        rows={rows}
        rowKey={(invitation) => invitation.id}
        columns={[
          {
            id: 'workspace',
            header: 'Workspace',
            cell: ({ workspace, role, invited_by, expires_at }) => (
              <>
                {workspace.name}
                <p className="dim">
                  as {role.name}
                  {invited_by !== null && `, invited by ${invited_by}`}, expires <Timestamp value={expires_at} ago />
                </p>
              </>
            ),
          },
          {
            width: 170,
            buttons: (invitation) => (
              <Group gap="xs" wrap="nowrap">
                <Button
                  size="compact-sm"
                  aria-label={`Join ${invitation.workspace.name}`}
                  onClick={() => accept(invitation)}
                >
                  Join
                </Button>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Decline to join ${invitation.workspace.name}`}
                  onClick={() => decline(invitation)}
                >
                  Decline
                </Button>
              </Group>
            ),
          },
        ]}
      />
    </Panel>
  );
}
