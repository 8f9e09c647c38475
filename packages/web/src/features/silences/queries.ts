import {
  getAlertInstance,
  listAlertInstances,
  listSilences,
  previewSilence,
  type RouteResponse,
} from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { STATES_POLL } from '../../alerting/instances.ts';
import type { Matcher } from '../../alerting/matchers.ts';
import { call } from '../../api/client.ts';
import { listQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type Silence = RouteResponse<typeof listSilences>[number];
export type SilencePreview = RouteResponse<typeof previewSilence>;

export const silencesQuery = (ws: string, status: Silence['status']) => ({
  ...listQuery(listSilences, { params: { ws }, query: { status } }),
  refetchInterval: STATES_POLL,
});

/** The alerts that matchers match now. */
export const silencePreviewQuery = (ws: string, matchers: readonly Matcher[]) =>
  queryOptions({
    queryKey: [previewSilence.id, ws, matchers] as const,
    queryFn: async ({ signal }): Promise<SilencePreview> =>
      (await call(previewSilence, { params: { ws }, body: { matchers: [...matchers] }, signal })).data,
    enabled: matchers.length > 0,
    refetchInterval: STATES_POLL,
    retry: false,
  });

/** After a write: silences also show in the list of alerts. */
export const refreshSilences = () => invalidate(listSilences, listAlertInstances, getAlertInstance);
