import type { ApiError } from '@fanion/contract';
import { Button, Group } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import classes from './dashboards.module.css';

/** What somebody else changed since the dashboard was loaded. */
export function Conflict({ error, onReload }: { error: ApiError; onReload: () => void }) {
  const changes = (error.details ?? []).filter(({ path }) => path !== 'version');
  return (
    <Notice kind="error">
      {error.message}
      {changes.length > 0 && (
        <ul className={classes.changeList}>
          {changes.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <span className="mono">{path}</span> {message}
            </li>
          ))}
        </ul>
      )}
      <Group mt="xs">
        <Button size="xs" variant="default" onClick={onReload}>
          Drop my changes and load the current version
        </Button>
      </Group>
    </Notice>
  );
}
