import { listRoles, removeRole } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import type { Edited } from '../../app/edit-dialog.tsx';
import { EditSavedDialog } from '../../app/edit-dialog.tsx';
import { invalidate } from '../../app/query-client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Panel } from '../../ui/page.tsx';
import { CreateButton } from '../../ui/resource/create-button.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { editAndDelete } from '../../ui/resource/row-buttons.tsx';
import { rolesQuery } from './queries.ts';
import type { Role } from './role-form.tsx';
import { RoleForm } from './role-form.tsx';
import { SectionHead } from './section.tsx';

const refresh = () => invalidate(listRoles);

/** Built-in roles and the workspace's custom roles. */
export function RolesPage() {
  const { ws } = useScope();
  const canWrite = useCan('roles:write');
  const deleteIt = useDelete();
  const roles = useQuery(rolesQuery(ws));
  const [editing, setEditing] = useState<Edited<Role>>(null);
  const remove = ({ id, name }: Role) =>
    deleteIt({
      name: `the role ${name}`,
      body: 'Roles in use cannot be deleted.',
      action: 'Delete role',
      run: () => call(removeRole, { params: { ws, id } }),
      refresh,
    });
  return (
    <>
      <SectionHead action={canWrite && <CreateButton onClick={() => setEditing('new')}>Create role</CreateButton>}>
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
      <EditSavedDialog editing={editing} rows={roles.data} what="role" size={720} onClose={() => setEditing(null)}>
        {(role) => <RoleForm role={role} onClose={() => setEditing(null)} onSaved={() => void refresh()} />}
      </EditSavedDialog>
    </>
  );
}
