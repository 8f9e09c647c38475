import { IconPlus } from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AppLink, ButtonLink } from '../ui/link.tsx';
import { useScope } from './session.ts';

/** Pages of a project that need nothing else in their address. */
export type ScopePath = Exclude<
  Extract<LinkProps['to'], `/w/$ws/$project/${string}`>,
  `${string}/$project/${string}$${string}`
>;

/** A link to a page of the project, such as the list that an item belongs to. */
export function ScopeLink({ to, children }: { to: ScopePath; children: ReactNode }) {
  const params = useScope();
  return (
    <AppLink to={to} params={params}>
      {children}
    </AppLink>
  );
}

/** The button of a list that opens the page on which an item is created. */
export function CreateLink({ to, children }: { to: ScopePath; children: ReactNode }) {
  const params = useScope();
  return (
    <ButtonLink to={to} params={params} leftSection={<IconPlus size={15} />}>
      {children}
    </ButtonLink>
  );
}
