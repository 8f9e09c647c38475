import { getTelemetryStatus } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { routeQuery } from '../api/queries.ts';
import { useScope } from '../app/session.ts';
import { ButtonLink } from '../ui/link.tsx';
import { EmptyState } from '../ui/states.tsx';
import { WidenRange } from './widen-range.tsx';

/**
 * What a page of telemetry shows if it found nothing: how to find more. Where the project never received anything, no wider
 * window helps; then it leads to the first steps.
 */
export function EmptyWindow({ title, children }: { title: string; children: ReactNode }) {
  const scope = useScope();
  const { data, isPending } = useQuery(routeQuery(getTelemetryStatus, { params: { ws: scope.ws, p: scope.project } }));
  if (isPending) return null;
  if (data?.arrived === false) {
    return (
      <EmptyState
        title="No telemetry yet"
        action={
          <ButtonLink to="/w/$ws/$project/first-steps" params={scope}>
            Send the first telemetry
          </ButtonLink>
        }
      >
        This project has received nothing yet. First steps has a token and the settings for your services.
      </EmptyState>
    );
  }
  return (
    <EmptyState title={title} action={<WidenRange />}>
      {children}
    </EmptyState>
  );
}
