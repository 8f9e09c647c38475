import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { Notice } from '../../ui/states.tsx';
import type { Affected } from './affected.ts';
import { prerequisitesQuery } from './queries.ts';
import classes from './review.module.css';

/** Who gets a different variant once a change is saved; a change that affects most users is a warning. */
export function AffectedList({
  flag,
  affected,
  environment,
}: {
  flag: string;
  affected: readonly Affected[];
  environment: string;
}) {
  const { ws, project } = useScope();
  const { data: prerequisites } = useQuery(prerequisitesQuery(ws, project, flag));
  const dependents = prerequisites?.dependents ?? [];
  return (
    <section aria-label="Who is affected">
      <h3>Who is affected in {environment}</h3>
      {affected.length === 0 ? (
        <p className="dim">Nobody gets a different variant than before.</p>
      ) : (
        <Notice kind={affected.some(({ wide }) => wide) ? 'warning' : 'info'}>
          <ul className={classes.affected}>
            {affected.map(({ who, what }) => (
              <li key={`${who} ${what}`}>
                <strong>{who}</strong> {what}
              </li>
            ))}
            {dependents.length > 0 && (
              <li>
                <strong>Flags that require this one</strong> can turn off or on with it: {dependents.join(', ')}
              </li>
            )}
          </ul>
        </Notice>
      )}
    </section>
  );
}
