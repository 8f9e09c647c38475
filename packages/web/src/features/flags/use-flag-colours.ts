import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useCan, useScope } from '../../app/session.ts';
import { useComputedColorScheme } from '../../ui/mantine.ts';
import { flagColours } from './flag-colours.ts';
import { flagQuery } from './queries.ts';

/** The colors that the variants of a flag have on every page; undefined without a flag, and until it is known. */
export function useFlagColours(
  flag: { readonly project: string; readonly key: string } | undefined,
): ReadonlyMap<string, string> | undefined {
  const { ws } = useScope();
  const scheme = useComputedColorScheme();
  const mayRead = useCan('flags:read');
  const { data } = useQuery({
    ...flagQuery(ws, flag?.project ?? '', flag?.key ?? ''),
    enabled: mayRead && flag !== undefined,
    // A flag that does not exist has no colors; whoever names it says so.
    retry: false,
  });
  return useMemo(() => data && flagColours(data, scheme), [data, scheme]);
}
