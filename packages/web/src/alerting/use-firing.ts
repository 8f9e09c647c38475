import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { NO_PROJECT, projectsQuery, useCan, useScope } from '../app/session.ts';
import { useEnvironment } from '../app/time-range.ts';
import { type AlertInstance, alertInstancesQuery, isFiring } from './instances.ts';

/** How often pages about other things ask; milliseconds. */
const POLL = 30_000;

export interface Firing {
  readonly alerts: readonly AlertInstance[];
  readonly error: unknown;
  /** Whether it is not known yet what fires. */
  readonly isPending: boolean;
}

const NOTHING: readonly AlertInstance[] = [];

/**
 * The alerts of the page's project that fire now, in its environment if one is chosen. Pages share one request; people who may
 * not read alerts see none.
 */
export function useFiring(): Firing {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const enabled = useCan('alerts:read') && project !== NO_PROJECT;
  const { data: projects } = useQuery({ ...projectsQuery(ws), enabled });
  const { data, error } = useQuery({
    ...alertInstancesQuery(ws),
    enabled,
    refetchInterval: POLL,
    staleTime: POLL / 2,
  });
  // The address may have the id of the project.
  const key = projects?.find((one) => one.id === project)?.key ?? project;
  const alerts = useMemo(
    () => (data === undefined ? NOTHING : data.filter((alert) => isFiring(alert) && isIn(alert, key, environment))),
    [data, key, environment],
  );
  return { alerts, error: enabled ? error : null, isPending: enabled && data === undefined && error === null };
}

/** Whether an alert is of a project and may be of an environment: that of its rule, or else any. */
export function isIn(
  alert: Pick<AlertInstance, 'project' | 'environment'>,
  project: string,
  environment: string | undefined,
): boolean {
  if (alert.project !== project) return false;
  return environment === undefined || alert.environment === null || alert.environment === environment;
}

/** The alerts about a service, by their label `service.name`. */
export function ofService(alerts: readonly AlertInstance[], service: string): readonly AlertInstance[] {
  return alerts.filter(({ labels }) => labels['service.name'] === service);
}
