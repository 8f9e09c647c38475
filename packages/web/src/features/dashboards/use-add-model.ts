import { createDashboard, type DashboardModel } from '@fanion/contract';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { refreshDashboards } from './queries.ts';

/** Creates a dashboard of the page's project, and opens it. */
export function useAddModel(): { readonly add: (model: DashboardModel) => Promise<void>; readonly adding: boolean } {
  const scope = useScope();
  const navigate = useNavigate();
  const [adding, setAdding] = useState(false);
  const add = async (model: DashboardModel) => {
    setAdding(true);
    try {
      const body = { ...model, project: scope.project };
      const { data } = await call(createDashboard, { params: { ws: scope.ws }, body });
      await refreshDashboards();
      toastDone(`${data.name} is added`);
      await navigate({ to: '/w/$ws/$project/dashboards/$id', params: { ...scope, id: data.id } });
    } catch (error) {
      toastError(error);
    } finally {
      setAdding(false);
    }
  };
  return { add, adding };
}
