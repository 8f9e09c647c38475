import { listRoles, removeRole } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryClient } from '../../app/query-client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useConfirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/page.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { rolesQuery } from './queries.ts';
import { type Role, RoleDialog } from './role-dialog.tsx';
import { editAndDelete, NewButton } from './row-actions.tsx';
import { Loaded, SectionHead } from './section.tsx';

const refresh = () => queryClient.invalidateQueries({ queryKey: [listRoles.id] });

/** Built-in roles and the workspace's custom roles. */
export function RolesPage() {
  const { ws } = useScope();
  const canWrite = useCan('roles:write');
  const confirm = useConfirm();
  const roles = useQuery(rolesQuery(ws));
  const [editing, setEditing] = useState<Role | 'new' | null>(null);
  const remove = async (role: Role) => {
    if (
      !(await confirm({
        title: `Delete the role ${role.name}?`,
        body: 'Roles in use cannot be deleted.',
        action: 'Delete role',
        danger: true,
      }))
    )
      return;
    await call(removeRole, { params: { ws, id: role.id } })
      .then(() => toastDone(`The role ${role.name} is deleted`))
      .catch(toastError);
    await refresh();
  };
  return (
    <>
      <SectionHead action={canWrite && <NewButton label="Create role" onClick={() => setEditing('new')} />}>
        A role is a set of permissions. The four built-in roles cannot be changed.
      </SectionHead>
      <Loaded query={roles}>
        {(rows) => (
          <Panel tight>
            <DataTable
              label="Roles"
              rows={rows}
              rowKey={(role) => role.id}
              columns={[
                { id: 'name', header: 'Role', width: 180, cell: (role) => role.name },
                {
                  id: 'description',
                  header: 'Description',
                  cell: (role) => (role.built_in ? <span className="dim">built-in</span> : role.description),
                },
                {
                  id: 'permissions',
                  header: 'Permissions',
                  numeric: true,
                  width: 120,
                  cell: (role) => <span title={role.permissions.join('\n')}>{role.permissions.length}</span>,
                },
                { id: 'members', header: 'Members', numeric: true, width: 100, cell: (role) => role.members },
                editAndDelete<Role>({
                  may: (role) => canWrite && !role.built_in,
                  onEdit: setEditing,
                  onDelete: (role) => void remove(role),
                }),
              ]}
            />
          </Panel>
        )}
      </Loaded>
      <RoleDialog role={editing} onClose={() => setEditing(null)} onSaved={() => void refresh()} />
    </>
  );
}
