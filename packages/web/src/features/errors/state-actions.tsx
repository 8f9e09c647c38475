import { setErrorGroupState } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { useCan, useScope } from '../../app/session.ts';
import { useActing } from '../../app/use-acting.ts';
import { Button, Group } from '../../ui/mantine.ts';
import { toastDone } from '../../ui/toast.ts';
import { type ErrorGroup, type ErrorState, refreshErrors } from './queries.ts';

const ACTIONS = [
  { state: 'resolved', label: 'Resolve', done: 'Resolved; it opens again if it occurs again' },
  { state: 'ignored', label: 'Ignore', done: 'Ignored' },
  { state: 'open', label: 'Reopen', done: 'Open again' },
] as const;

/** Resolves, ignores or reopens an error. */
export function StateActions({ error: { id, state } }: { error: Pick<ErrorGroup, 'id' | 'state'> }) {
  const { ws, project } = useScope();
  const canWrite = useCan('errors:write');
  const { busy, act } = useActing<ErrorState>(refreshErrors);
  if (!canWrite) return null;
  const set = async (next: ErrorState, done: string) => {
    await call(setErrorGroupState, { params: { ws, id }, body: { project, state: next } });
    toastDone(done);
  };
  return (
    <Group gap="xs">
      {ACTIONS.filter((action) => action.state !== state).map((action) => (
        <Button
          key={action.state}
          size="xs"
          variant={action.state === 'resolved' ? 'filled' : 'default'}
          loading={busy === action.state}
          disabled={busy !== null && busy !== action.state}
          onClick={() => void act(action.state, () => set(action.state, action.done))}
        >
          {action.label}
        </Button>
      ))}
    </Group>
  );
}
