import { IconTargetArrow } from '@tabler/icons-react';
import { useCan, useScope } from '../app/session.ts';
import { ButtonLink } from '../ui/link.tsx';
import type { SloSearch } from './slo-search.ts';

/** Opens the editor of SLOs with the indicator of what the page shows; nothing for people who may not write SLOs. */
export function MakeSlo({ of, size = 'sm' }: { of: SloSearch; size?: 'xs' | 'sm' }) {
  const scope = useScope();
  const canWrite = useCan('dashboards:write');
  if (!canWrite) return null;
  return (
    <ButtonLink
      variant={size === 'xs' ? 'subtle' : 'default'}
      color="gray"
      size={size}
      leftSection={<IconTargetArrow size={15} stroke={1.6} />}
      to="/w/$ws/$project/slos/new"
      params={scope}
      search={of}
    >
      Create SLO
    </ButtonLink>
  );
}
