import { createRole, isPermission, type listRoles, type RouteResponse, updateRole } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { useScope, useWorkspace } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { TextInput } from '../../ui/mantine.ts';
import { saveOver } from '../../ui/stale.ts';
import { PermissionPicker } from './permission-picker.tsx';

export type Role = RouteResponse<typeof listRoles>[number];

/** Creates or edits a custom role. */
export function RoleForm({ role, onClose, onSaved }: { role: Role | null; onClose: () => void; onSaved: () => void }) {
  const { ws } = useScope();
  const { permissions: mine } = useWorkspace();
  const form = useForm({
    initial: {
      name: role?.name ?? '',
      description: role?.description ?? '',
      permissions: (role?.permissions ?? []) as string[],
    },
    submit: async (values) => {
      const body = { ...values, permissions: values.permissions.filter(isPermission) };
      if (role)
        await saveOver(
          role,
          call(updateRole, { params: { ws, id: role.id }, body: { ...body, version: role.version } }),
        );
      else await call(createRole, { params: { ws }, body });
      onSaved();
      onClose();
    },
  });
  return (
    <DialogForm form={form} action={role ? 'Save role' : 'Create role'} onCancel={onClose}>
      <TextInput label="Name" required data-autofocus {...form.field('name')} />
      <TextInput label="Description" {...form.field('description')} />
      <PermissionPicker
        value={form.values.permissions}
        onChange={(permissions) => form.set('permissions', permissions)}
        among={mine}
      />
    </DialogForm>
  );
}
