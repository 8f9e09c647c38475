import {
  addMember,
  listInvitations,
  listMembers,
  type RouteResponse,
  removeInvitation,
  removeMember,
} from '@fanion/contract';
import { IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useConfirmed } from '../../app/confirmed.ts';
import { invalidate } from '../../app/query-client.ts';
import { useCan, useMe, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Button } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { DeleteButton } from '../../ui/resource/row-buttons.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { invitationsQuery, membersQuery } from './queries.ts';
import { RoleSelect } from './role-select.tsx';
import { SectionHead } from './section.tsx';

const refresh = () => invalidate(listMembers, listInvitations);

type Member = RouteResponse<typeof listMembers>[number];

/** The members of the workspace with their roles, and the open invitations. */
export function MembersPage() {
  const { ws } = useScope();
  const canWrite = useCan('members:write');
  const [inviting, setInviting] = useState(false);
  const members = useQuery(membersQuery(ws));

  return (
    <>
      <SectionHead
        action={
          canWrite && (
            <Button leftSection={<IconUserPlus size={15} />} onClick={() => setInviting(true)}>
              Invite
            </Button>
          )
        }
      >
        A member’s role determines what they can see and do in this workspace.
      </SectionHead>
      <Loaded query={members}>{(rows) => <MemberTable rows={rows} canWrite={canWrite} />}</Loaded>
      <Invitations canWrite={canWrite} />
      <InviteDialog opened={inviting} onClose={() => setInviting(false)} onInvited={() => void refresh()} />
    </>
  );
}

function MemberTable({ rows, canWrite }: { rows: readonly Member[]; canWrite: boolean }) {
  const { ws } = useScope();
  const { user } = useMe();
  const confirmed = useConfirmed();
  const remove = ({ id, name, email }: Member) =>
    confirmed({
      title: `Remove ${name}?`,
      body: `${email} loses access to this workspace immediately, and so do the API tokens that they created.`,
      action: 'Remove member',
      danger: true,
      run: () => call(removeMember, { params: { ws, id } }),
      done: `${name} is removed`,
      refresh,
    });
  return (
    <Panel tight>
      <DataTable
        label="Members"
        rows={rows}
        rowKey={(member) => member.id}
        columns={[
          {
            id: 'name',
            header: 'Name',
            sortBy: (member) => member.name,
            cell: (member) => (
              <>
                {member.name} {member.user_id === user.id && <span className="dim">(you)</span>}
              </>
            ),
          },
          { id: 'email', header: 'E-mail', sortBy: (member) => member.email, cell: (member) => member.email },
          {
            id: 'role',
            header: 'Role',
            width: 180,
            sortBy: (member) => member.role.name,
            cell: (member) => (canWrite ? <MemberRole member={member} /> : member.role.name),
          },
          { id: 'since', header: 'Since', width: 120, ago: (member) => member.created_at },
          {
            width: 56,
            buttons: (member) =>
              canWrite && <DeleteButton label={`Remove ${member.name}`} onClick={() => void remove(member)} />,
          },
        ]}
      />
    </Panel>
  );
}

function MemberRole({ member }: { member: Member }) {
  const { ws } = useScope();
  const setRole = (email: string, role: string) =>
    call(addMember, { params: { ws }, body: { email, role } })
      .then(() => toastDone(`The role of ${email} is changed`))
      .catch(toastError)
      .finally(() => void refresh());
  return (
    <RoleSelect
      label={`Role of ${member.name}`}
      hideLabel
      value={member.role.id}
      onChange={(role) => void setRole(member.email, role)}
    />
  );
}

function Invitations({ canWrite }: { canWrite: boolean }) {
  const { ws } = useScope();
  const confirmed = useConfirmed();
  const invitations = useQuery(invitationsQuery(ws));
  const open = (invitations.data ?? []).filter((invitation) => invitation.status !== 'accepted');
  if (open.length === 0) return null;
  const withdraw = ({ id, email }: { id: string; email: string }) =>
    confirmed({
      title: 'Withdraw the invitation?',
      body: `The link sent to ${email} stops working.`,
      action: 'Withdraw',
      danger: true,
      run: () => call(removeInvitation, { params: { ws, id } }),
      done: 'The invitation is withdrawn',
      refresh,
    });
  return (
    <Panel title="Invitations" tight>
      <DataTable
        label="Invitations"
        rows={open}
        rowKey={(invitation) => invitation.id}
        columns={[
          { id: 'email', header: 'E-mail', cell: (invitation) => invitation.email },
          { id: 'role', header: 'Role', width: 140, cell: (invitation) => invitation.role.name },
          { id: 'by', header: 'Invited by', width: 180, cell: (invitation) => invitation.invited_by ?? '–' },
          {
            id: 'expires',
            header: 'Expires',
            width: 130,
            cell: (invitation) =>
              invitation.status === 'expired' ? (
                <span className="dim">expired</span>
              ) : (
                <Timestamp value={invitation.expires_at} ago />
              ),
          },
          {
            width: 56,
            buttons: (invitation) =>
              canWrite && (
                <DeleteButton
                  label={`Withdraw the invitation of ${invitation.email}`}
                  onClick={() => void withdraw(invitation)}
                />
              ),
          },
        ]}
      />
    </Panel>
  );
}
