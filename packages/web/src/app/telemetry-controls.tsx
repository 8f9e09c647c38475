import {
  contrastSelections,
  diffFlamegraph,
  getErrorGroup,
  getFlamegraph,
  getSandwich,
  getServiceMap,
  getUsage,
  listAnnotations,
  listErrorGroups,
  listExemplars,
  listFields,
  listLogPatterns,
  listVariableOptions,
  previewDashboard,
  runQuery,
} from '@fanion/contract';
import { IconRefresh } from '@tabler/icons-react';
import { type Query, useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ActionIcon, Select, Tooltip } from '../ui/mantine.ts';
import { TimeRangePicker } from '../ui/time/time-range-picker.tsx';
import { environmentsQuery, NO_PROJECT, useScope } from './session.ts';
import { useEnvironment, useTimeRange } from './time-range.ts';

const ALL = '*';

/** The controls at the top of every telemetry page: environment, time range, refresh. */
export function TelemetryControls() {
  const { range, setRange } = useTimeRange();
  return (
    <>
      <EnvironmentPicker />
      <TimeRangePicker range={range} onChange={setRange} />
      <RefreshButton />
    </>
  );
}

/** The environment that the page shows; all of them by default. */
export function EnvironmentPicker() {
  const { ws, project } = useScope();
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { data: environments = [] } = useQuery({ ...environmentsQuery(ws, project), enabled: project !== NO_PROJECT });
  return (
    <Select
      aria-label="Environment"
      w={170}
      value={environment ?? ALL}
      data={[
        { value: ALL, label: 'All environments' },
        ...environments.map(({ key, name }) => ({ value: key, label: name })),
      ]}
      onChange={(value) =>
        navigate({ to: '.', search: (old) => ({ ...old, env: value === ALL || value === null ? undefined : value }) })
      }
    />
  );
}

/** Queries of telemetry data; a refresh reloads all of them. */
const TELEMETRY: ReadonlySet<unknown> = new Set(
  [
    contrastSelections,
    diffFlamegraph,
    getErrorGroup,
    getFlamegraph,
    getSandwich,
    getServiceMap,
    getUsage,
    listAnnotations,
    listErrorGroups,
    listExemplars,
    listFields,
    listLogPatterns,
    listVariableOptions,
    previewDashboard,
    runQuery,
  ].map((route) => route.id),
);
const ofTelemetry = { predicate: ({ queryKey }: Query) => TELEMETRY.has(queryKey[0]) };

export function RefreshButton() {
  const queries = useQueryClient();
  const busy = useIsFetching(ofTelemetry) > 0;
  return (
    <Tooltip label="Refresh">
      <ActionIcon
        variant="default"
        aria-label="Refresh"
        loading={busy}
        onClick={() => void queries.invalidateQueries(ofTelemetry)}
      >
        <IconRefresh size={15} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
