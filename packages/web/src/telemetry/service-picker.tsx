import { useQuery } from '@tanstack/react-query';
import { NO_PROJECT, useScope } from '../app/session.ts';
import { useEnvironment } from '../app/time-range.ts';
import { Select } from '../ui/mantine.ts';
import { servicesQuery } from './services.ts';

/** Chooses one of the project's services, or all of them. */
export function ServicePicker({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (service: string | undefined) => void;
}) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { data = [] } = useQuery({ ...servicesQuery(ws, project, environment), enabled: project !== NO_PROJECT });
  return (
    <Select
      allowDeselect
      aria-label="Service"
      placeholder="All services"
      size="xs"
      w={180}
      clearable
      searchable
      value={value ?? null}
      data={data.map(({ name }) => name)}
      onChange={(name) => onChange(name ?? undefined)}
    />
  );
}
