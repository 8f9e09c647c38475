import type { ReactNode } from 'react';
import { useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { type Happening, targetOf } from './happenings.ts';

/** A link to where a happening is shown in full; its text alone if it is shown nowhere else. */
export function HappeningLink({
  happening,
  className,
  children,
}: {
  happening: Happening;
  className?: string;
  children: ReactNode;
}) {
  const scope = useScope();
  const target = targetOf(happening);
  const style = className === undefined ? {} : { className };
  switch (target?.page) {
    case 'alert':
      return (
        <AppLink {...style} to="/w/$ws/$project/alerts/$id" params={{ ...scope, id: target.id }}>
          {children}
        </AppLink>
      );
    case 'service':
      return (
        <AppLink {...style} to="/w/$ws/$project/services/$service" params={{ ...scope, service: target.service }}>
          {children}
        </AppLink>
      );
    case 'flag':
      return (
        <AppLink
          {...style}
          to="/w/$ws/$project/flags/$key"
          params={{ ...scope, key: target.key }}
          search={{ tab: target.tab, ...(target.env !== undefined && { env: target.env }) }}
        >
          {children}
        </AppLink>
      );
    case undefined:
      return <span {...style}>{children}</span>;
  }
}
