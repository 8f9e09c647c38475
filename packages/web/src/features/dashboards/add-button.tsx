import { IconLayoutDashboard } from '@tabler/icons-react';
import { useState } from 'react';
import { useCan } from '../../app/session.ts';
import { Button, Menu } from '../../ui/mantine.ts';
import { AddToDashboard } from './add-to-dashboard.tsx';

/** A chart of the page that can become a panel. */
interface Choice {
  readonly label: string;
  /** Over time. */
  readonly query: string;
}

/** Adds a chart of the page to a dashboard; nothing for people who may not change dashboards. */
export function AddButton({ choices, size = 'sm' }: { choices: readonly Choice[]; size?: 'xs' | 'sm' }) {
  const canWrite = useCan('dashboards:write');
  const [query, setQuery] = useState<string | null>(null);
  const [only, ...others] = choices;
  if (!canWrite || only === undefined) return null;
  const button = (
    <Button
      variant={size === 'xs' ? 'subtle' : 'default'}
      color="gray"
      size={size}
      leftSection={<IconLayoutDashboard size={15} stroke={1.6} />}
      {...(others.length === 0 && { onClick: () => setQuery(only.query) })}
    >
      Add to dashboard
    </Button>
  );
  return (
    <>
      {others.length === 0 ? (
        button
      ) : (
        <Menu position="bottom-end">
          <Menu.Target>{button}</Menu.Target>
          <Menu.Dropdown>
            {choices.map(({ label, query }) => (
              <Menu.Item key={label} onClick={() => setQuery(query)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <AddToDashboard query={query} language="oql" kind="timeseries" onClose={() => setQuery(null)} />
    </>
  );
}
