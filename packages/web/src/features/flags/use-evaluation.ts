import { type RouteResponse, testFlag } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';

/** Milliseconds without typing before the request is sent. */
const PAUSE = 200;

export type Evaluated = RouteResponse<typeof testFlag>;

/** What the server would serve to a context, and why. A new `version` evaluates again. */
export function useEvaluation(options: {
  environment: string;
  flag: string;
  version: number;
  context: Readonly<Record<string, unknown>> | null;
  enabled: boolean;
}) {
  const { environment, flag, version, context, enabled } = options;
  const { ws, project } = useScope();
  const text = useSettled(context === null ? null : JSON.stringify(context));
  return useQuery({
    queryKey: [testFlag.id, ws, project, environment, flag, version, text],
    enabled: enabled && text !== null,
    placeholderData: keepPreviousData,
    // Segments and prerequisites can change the result without a new version of the flag.
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Evaluated> => {
      const { data } = await call(testFlag, {
        params: { ws, p: project, e: environment, key: flag },
        query: { explain: 'true' },
        body: { context: JSON.parse(text ?? '{}') as Record<string, unknown> },
        signal,
      });
      return data;
    },
  });
}

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
