import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { NO_PROJECT, useScope } from '../app/session.ts';
import { ENTRY_SPANS } from '../features/services/service-health.ts';
import { servicesQuery } from '../telemetry/services.ts';
import { countOf } from '../ui/format/index.ts';
import { Select } from '../ui/mantine.ts';
import { requestsQuery, type Target } from './symptom-rules.ts';
import classes from './target-fields.module.css';
import { useAnswer } from './use-answer.ts';

const LAST_DAY = { from: 'now-1d', to: 'now' };
const trafficQuery = `spans | where ${ENTRY_SPANS} | stats n=count() by service.name | sort -n | limit 1000`;

/** Whose requests are watched: a service with its traffic of the last day, and one of its operations. */
export function TargetFields({
  target,
  environment,
  hasOperations = true,
  onChange,
}: {
  target: Target;
  environment: string | undefined;
  /** Only requests have operations. */
  hasOperations?: boolean;
  onChange: (target: Target) => void;
}) {
  const { ws, project } = useScope();
  const enabled = project !== NO_PROJECT;
  const traffic = useCounts(trafficQuery, environment);
  const { data: known = [], isSuccess } = useQuery({ ...servicesQuery(ws, project, environment), enabled });
  const { service, operation } = target;
  const asks = hasOperations && service !== '';
  const operations = useCounts(
    asks ? `${requestsQuery({ service, operation: '' })} | stats n=count() by name | sort -n | limit 100` : null,
    environment,
  );
  const services = new Set([...traffic.keys(), ...known.map(({ name }) => name), ...(service === '' ? [] : [service])]);
  return (
    <>
      <Select
        allowDeselect
        label="Service"
        description={
          isSuccess && services.size === 0
            ? 'No service has sent telemetry. See First steps for the settings of your exporter.'
            : undefined
        }
        placeholder="All services"
        clearable
        searchable
        nothingFoundMessage="No service has this name"
        value={service === '' ? null : service}
        data={[...services]}
        renderOption={({ option: { value } }) => <Counted name={value} requests={traffic.get(value)} />}
        onChange={(next) => onChange({ service: next ?? '', operation: '' })}
      />
      {asks && (
        <Select
          allowDeselect
          label="Operation"
          placeholder="All operations"
          clearable
          searchable
          nothingFoundMessage="No operation has this name"
          value={operation === '' ? null : operation}
          data={[...new Set([...operations.keys(), ...(operation === '' ? [] : [operation])])]}
          renderOption={({ option: { value } }) => <Counted name={value} requests={operations.get(value)} />}
          onChange={(next) => onChange({ service, operation: next ?? '' })}
        />
      )}
    </>
  );
}

function Counted({ name, requests }: { name: string; requests: number | undefined }) {
  return (
    <span className={classes.option}>
      <span className="truncate">{name}</span>
      <span className="dim">
        {requests === undefined ? 'no requests in a day' : `${countOf(requests, 'request')} in a day`}
      </span>
    </span>
  );
}

/** Requests of the last day by name, the most first. */
function useCounts(query: string | null, environment: string | undefined): ReadonlyMap<string, number> {
  const { data, isPlaceholderData } = useAnswer(query, { range: LAST_DAY, environment, limit: 1000 });
  return useMemo(() => {
    // Operations of another service are not offered meanwhile.
    const rows = query === null || isPlaceholderData ? [] : (data?.result.rows ?? []);
    return new Map(rows.flatMap(([name, n]) => (typeof name === 'string' && name !== '' ? [[name, Number(n)]] : [])));
  }, [query, data, isPlaceholderData]);
}
