import { IconBell } from '@tabler/icons-react';
import { useCan, useScope } from '../app/session.ts';
import { ButtonLink } from '../ui/link.tsx';

/** Opens the rule editor with a query of what the page shows; nothing for people who may not write rules. */
export function MakeAlert({ query, size = 'sm' }: { query: string; size?: 'xs' | 'sm' }) {
  const scope = useScope();
  const canWrite = useCan('alerts:write');
  if (!canWrite) return null;
  return (
    <ButtonLink
      variant={size === 'xs' ? 'subtle' : 'default'}
      color="gray"
      size={size}
      leftSection={<IconBell size={15} stroke={1.6} />}
      to="/w/$ws/$project/alerts/rules/new"
      params={scope}
      search={{ q: query }}
    >
      Create alert
    </ButtonLink>
  );
}
