import { useQuery } from '@tanstack/react-query';
import { useScope } from '../app/session.ts';
import { Select } from '../ui/mantine.ts';
import { servicesQuery } from './services.ts';

const ANY = '*';

/** Picks one service, or any. */
export function ServiceFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  const { ws, project } = useScope();
  const { data: services = [] } = useQuery(servicesQuery(ws, project, undefined));
  const names = services.map((service) => service.name);
  if (value !== undefined && !names.includes(value)) names.unshift(value);
  return (
    <Select
      aria-label="Service"
      w={190}
      searchable
      value={value ?? ANY}
      data={[{ value: ANY, label: 'All services' }, ...names]}
      onChange={(next) => onChange(next === ANY || next === null ? undefined : next)}
    />
  );
}
