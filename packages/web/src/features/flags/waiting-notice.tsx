import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../app/session.ts';
import { countOf } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { waitingQuery } from './queries.ts';
import type { Environment } from './types.ts';

/** Links within a sentence are marked by more than their color. */
const UNDERLINED = { textDecoration: 'underline' } as const;

/** Lists proposed and scheduled changes of a flag in an environment, so that nobody proposes one twice. */
export function WaitingNotice({ flag, environment }: { flag: string; environment: Environment }) {
  const scope = useScope();
  const { data: pending = [] } = useQuery(waitingQuery(scope.ws, scope.project, flag, 'pending'));
  const { data: scheduled = [] } = useQuery(waitingQuery(scope.ws, scope.project, flag, 'scheduled'));
  const here = (change: { environment: string | null }) =>
    change.environment === null || change.environment === environment.key;
  const toApprove = pending.filter(here);
  const planned = scheduled.filter(here);
  if (toApprove.length === 0 && planned.length === 0) return null;
  const next = planned.map(({ apply_at }) => apply_at ?? '').sort()[0];
  return (
    <Notice kind="info">
      {toApprove.length > 0 && (
        <>
          <AppLink style={UNDERLINED} to="/w/$ws/$project/changes" params={scope} search={{ flag }}>
            {countOf(toApprove.length, 'change')} to approve
          </AppLink>{' '}
          for {environment.name}.{' '}
        </>
      )}
      {planned.length > 0 && (
        <>
          <AppLink
            style={UNDERLINED}
            to="/w/$ws/$project/changes"
            params={scope}
            search={{ flag, status: 'scheduled' }}
          >
            {countOf(planned.length, 'change')} scheduled
          </AppLink>
          , the next one <Timestamp value={next} ago />.
        </>
      )}
    </Notice>
  );
}
