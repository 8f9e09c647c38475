import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { servicesQuery } from '../telemetry/services.ts';
import { assignColours, SERVICE_COLOUR_COUNT, setServiceColours } from '../ui/colours.ts';
import { NO_PROJECT, type Scope } from './session.ts';

/** A project's list of services changes rarely. */
const FRESH_MS = 5 * 60_000;

/** The services by which colors are assigned. */
export const coloursQuery = ({ ws, project }: Scope) => ({
  ...servicesQuery(ws, project, undefined),
  staleTime: FRESH_MS,
});

/**
 * Gives the services of a project their colors, before its pages show any. The colors are remembered, so a service keeps its color
 * when others come. Services are served in the order in which they first sent telemetry, so other browsers find the same
 * colors. Returns false while nothing is remembered and the services are not known yet.
 */
export function useServiceColours({ ws, project }: Scope): boolean {
  const key = `fanion-service-colours:${ws}/${project}`;
  const kept = useMemo(() => recall(key), [key]);
  const { data: services, isPending } = useQuery({ ...coloursQuery({ ws, project }), enabled: project !== NO_PROJECT });
  const assigned = useMemo(() => {
    const byAge = (services ?? []).toSorted(
      (a, b) => a.first_seen_at.localeCompare(b.first_seen_at) || a.name.localeCompare(b.name),
    );
    const names = new Set([...(kept?.keys() ?? []), ...byAge.map(({ name }) => name)]);
    return assignColours([...names], SERVICE_COLOUR_COUNT, kept);
  }, [services, kept]);
  // Pages that render below this component must find the colors.
  setServiceColours(assigned);
  useEffect(() => {
    if (services !== undefined) keep(key, assigned);
  }, [key, services, assigned]);
  return kept !== undefined || project === NO_PROJECT || !isPending;
}

function recall(key: string): ReadonlyMap<string, number> | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (typeof kept !== 'object' || kept === null) return undefined;
    return new Map(
      Object.entries(kept).flatMap(([name, position]): [string, number][] =>
        typeof position === 'number' ? [[name, position]] : [],
      ),
    );
  } catch {
    return undefined;
  }
}

/** The most services that a browser remembers of one project. */
const MOST = 500;

function keep(key: string, assigned: ReadonlyMap<string, number>): void {
  try {
    localStorage.setItem(key, JSON.stringify(Object.fromEntries([...assigned].slice(0, MOST))));
  } catch {
    // Without storage, the order of the services gives the same colors next time, unless one has gone.
  }
}
