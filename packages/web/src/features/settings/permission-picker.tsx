import { useQuery } from '@tanstack/react-query';
import { Checkbox } from '../../ui/mantine.ts';
import { permissionsQuery } from './queries.ts';
import classes from './settings.module.css';

/** Checkboxes for permissions with their descriptions. `among` limits them to those that the caller can grant. */
export function PermissionPicker({
  value,
  onChange,
  among,
}: {
  value: readonly string[];
  onChange: (value: string[]) => void;
  among?: readonly string[];
}) {
  const { data: permissions = [] } = useQuery(permissionsQuery);
  const shown = permissions.filter(({ name }) => among === undefined || among.includes(name) || value.includes(name));
  return (
    <Checkbox.Group label="Permissions" value={[...value]} onChange={onChange}>
      <div className={classes.permissions}>
        {shown.map(({ name, description }) => (
          <Checkbox
            key={name}
            value={name}
            size="xs"
            label={<span className="mono">{name}</span>}
            description={description}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
