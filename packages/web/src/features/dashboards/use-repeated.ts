import { type DashboardPanel, type DashboardVariable, type VariableValues, withRepeats } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TimeRange } from '../../ui/time/time-range.ts';
import { type DashboardPlace, optionsQuery } from './queries.ts';
import { ALL, shownValue } from './variable-search.ts';

/** The panels with a copy for each value of the variables that they repeat by. Until values are known, each is shown once. */
export function useRepeated(
  panels: readonly DashboardPanel[],
  definitions: readonly DashboardVariable[],
  values: VariableValues,
  range: TimeRange,
  place: DashboardPlace,
): readonly DashboardPanel[] {
  const chosenOf = (name: string) => {
    const definition = definitions.find((one) => one.name === name);
    const shown = definition === undefined ? [] : shownValue(definition, values);
    return shown.length === 0 || shown.includes(ALL) ? undefined : shown;
  };
  const names = new Set(panels.flatMap(({ repeat }) => repeat?.variable ?? []));
  const options = useQuery({
    ...optionsQuery(place, definitions, values, range),
    enabled: [...names].some((name) => chosenOf(name) === undefined),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
  const known = new Map(
    [...names].map((name) => [name, chosenOf(name) ?? options.data?.find((one) => one.name === name)?.options]),
  );
  const key = JSON.stringify(Object.fromEntries(known));
  // Panels stay the same objects while the values do, so that they are not asked again.
  return useMemo(() => {
    const repeatedBy = new Map(Object.entries<readonly string[]>(JSON.parse(key)));
    return withRepeats(panels, (name) => repeatedBy.get(name));
  }, [panels, key]);
}
