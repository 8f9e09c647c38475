import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { Select } from '../../ui/mantine.ts';
import { rolesQuery } from './queries.ts';

/** Selects a role of the workspace by id; the value can also be the key of a built-in role. */
export function RoleSelect({
  label,
  hideLabel,
  value,
  onChange,
  disabled,
}: {
  label: string;
  hideLabel?: boolean;
  value: string;
  onChange: (role: string) => void;
  disabled?: boolean;
}) {
  const { ws } = useScope();
  const { data: roles = [] } = useQuery(rolesQuery(ws));
  const current = roles.find((role) => role.id === value || role.key === value);
  return (
    <Select
      {...(hideLabel ? { 'aria-label': label } : { label })}
      size={hideLabel ? 'xs' : 'sm'}
      w={hideLabel ? 150 : '100%'}
      disabled={disabled ?? false}
      value={current?.id ?? value}
      data={roles.map((role) => ({ value: role.id, label: role.name }))}
      onChange={(next) => {
        if (next !== null && next !== current?.id) onChange(next);
      }}
    />
  );
}
