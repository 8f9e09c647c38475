import type { getSegment, RouteResponse } from '@fanion/contract';
import { useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import classes from './segments.module.css';

export type Uses = RouteResponse<typeof getSegment>['used_by'];

/** The flags that use a segment, with their environments, and the segments that include it. */
export function UsedBy({ usedBy }: { usedBy: Uses }) {
  const scope = useScope();
  const flags = new Map<string, string[]>();
  for (const { flag, environment } of usedBy.flags) flags.set(flag, [...(flags.get(flag) ?? []), environment]);
  if (flags.size === 0 && usedBy.segments.length === 0)
    return <p className="dim">Nothing uses this segment: changes here affect nobody.</p>;
  return (
    <ul className={classes.uses} aria-label="Used by">
      {[...flags].map(([flag, environments]) => (
        <li key={flag}>
          <AppLink
            className="mono"
            to="/w/$ws/$project/flags/$key"
            params={{ ...scope, key: flag }}
            search={{ env: environments[0] }}
          >
            {flag}
          </AppLink>{' '}
          <span className="dim">in {environments.join(', ')}</span>
        </li>
      ))}
      {usedBy.segments.map((segment) => (
        <li key={`segment ${segment}`}>
          segment{' '}
          <AppLink className="mono" to="/w/$ws/$project/segments/$key" params={{ ...scope, key: segment }}>
            {segment}
          </AppLink>
        </li>
      ))}
    </ul>
  );
}
