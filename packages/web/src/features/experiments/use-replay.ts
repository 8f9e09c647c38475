import { replayExperiment } from '@fanion/contract';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { refreshExperiments } from './queries.ts';

/** Replays past units of a draft, with its salt or with others. */
export function useReplay(id: string) {
  const { ws, project } = useScope();
  return useMutation({
    mutationFn: async ({ reseed }: { reseed: boolean }) =>
      (await call(replayExperiment, { params: { ws, p: project, id }, body: { reseed } })).data,
    onSettled: refreshExperiments,
  });
}
