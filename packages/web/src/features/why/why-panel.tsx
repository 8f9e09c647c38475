import { contrastSelections } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { WhyList } from './why-list.tsx';

/** The causes of the spans in the window of the page that meet `selection`, among those that meet `where`. */
export function WhyPanel({
  title,
  where,
  selection,
  comment,
}: {
  title: string;
  where: string;
  selection: string;
  comment: string;
}) {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const { range } = useTimeRange();
  const body = {
    source: 'spans' as const,
    project,
    ...(environment !== undefined && { environment }),
    ...range,
    where,
    selection: { where: selection },
    // The causes alone.
    limit: 0,
  };
  const { data, error, refetch } = useQuery({
    queryKey: [contrastSelections.id, ws, body],
    queryFn: async ({ signal }) => (await call(contrastSelections, { params: { ws }, body, signal })).data,
  });
  return (
    <Panel title={title}>
      {error ? (
        <ErrorState compact error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label="Comparing" />
      ) : (
        <WhyList why={data.why} project={project} environment={environment} comment={comment} />
      )}
    </Panel>
  );
}
