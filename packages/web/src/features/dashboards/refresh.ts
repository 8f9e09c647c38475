import { previewDashboard } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';

/** How often panels can be asked again. */
export const REFRESH = ['off', '10s', '30s', '1m', '5m', '15m'];

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** Undefined: panels are asked again only when “Refresh” is pressed. */
export function secondsOf(refresh: string): number | undefined {
  const [, count, unit] = /^(\d+)([smh])$/.exec(refresh) ?? [];
  return count === undefined || unit === undefined ? undefined : Number(count) * (unitSeconds[unit] ?? 1);
}

/** Another number asks the panels again: after so many seconds while somebody looks, and when “Refresh” is pressed. */
export function useRound(id: string, seconds: number | undefined): number {
  const { data } = useQuery({
    queryKey: [previewDashboard.id, id],
    queryFn: () => Date.now(),
    initialData: 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchInterval: seconds === undefined ? false : seconds * 1_000,
  });
  return data;
}
