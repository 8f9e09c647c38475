import { setTargeting } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useActing } from '../../app/use-acting.ts';
import { Button, Group } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { toBody, toDraft } from '../flags/draft.ts';
import { refreshFlags, refreshTargeting, targetingQuery } from '../flags/queries.ts';
import type { Environment, Flag } from '../flags/types.ts';
import { deadEndOf } from './guarded-draft.ts';

/** Why the variant cannot be released as the flag is served now, with a button that changes that. */
export function DeadEnd({ flag, environment, variant }: { flag: Flag; environment: Environment; variant: string }) {
  const { ws, project } = useScope();
  const { data: targeting } = useQuery(targetingQuery(ws, project, environment.key, flag.key));
  const { busy, act } = useActing(() => Promise.all([refreshFlags(), refreshTargeting()]));
  const found =
    targeting &&
    deadEndOf(
      targeting,
      variant,
      flag.variants.map(({ key }) => key),
      flag.off_variant,
    );
  if (targeting === undefined || found === undefined) return null;
  const { control, reason } = found;
  const change = async (next: string) => {
    const draft = toDraft(targeting);
    const body = toBody(
      { ...draft, enabled: true, fallthrough: { kind: 'variant', variant: next } },
      targeting.version,
    );
    const params = { ws, p: project, e: environment.key, key: flag.key };
    const { status } = await call(setTargeting, { params, body });
    toastDone(status === 202 ? 'The change waits for approval' : `Everyone else gets ${next} now`);
  };
  return (
    <Notice kind="warning">
      <Group gap="sm">
        <span>
          {reason}{' '}
          {control !== undefined && `With ${control} for everyone else, ${variant} can be measured against it.`}
        </span>
        {control !== undefined && (
          <Button
            size="xs"
            variant="default"
            loading={busy !== null}
            onClick={() => void act('change', () => change(control))}
          >
            Set it now: {control} for everyone else
          </Button>
        )}
      </Group>
    </Notice>
  );
}
