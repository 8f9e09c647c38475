import type { getServiceMap, RouteResponse } from '@fanion/contract';
import { Notice } from '../ui/states.tsx';
import { Timestamp } from '../ui/timestamp.tsx';

type ServiceMap = RouteResponse<typeof getServiceMap>;

/** Refetch interval while calls are missing. */
export const AGAIN_MS = 10_000;

export function againWhileMissing(map: ServiceMap | undefined): number | false {
  return map?.missing ? AGAIN_MS : false;
}

/** Shows which minutes are still missing calls. */
export function StillProcessed({ missing }: Pick<ServiceMap, 'missing'>) {
  if (missing === null) return null;
  return (
    <Notice kind="info">
      Some spans between <Timestamp value={missing.from} recent /> and <Timestamp value={missing.to} recent /> are still
      being processed. Their calls appear automatically.
    </Notice>
  );
}
