import {
  calculateExperiment,
  getExperiment,
  getExperimentResults,
  getExperimentTimeseries,
  listExperiments,
  type RouteResponse,
} from '@fanion/contract';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { queryClient } from '../../app/query-client.ts';

export type Experiment = RouteResponse<typeof getExperiment>;
export type Results = RouteResponse<typeof getExperimentResults>;
export type MeasuredMetric = Results['metrics'][number];
export type VariantNumbers = MeasuredMetric['variants'][number];
export type Calculation = RouteResponse<typeof calculateExperiment>;

interface Place {
  readonly ws: string;
  readonly project: string;
}
const inProject = ({ ws, project }: Place) => ({ ws, p: project });

export const experimentsQuery = (place: Place) => listQuery(listExperiments, { params: inProject(place), query: {} });

export const experimentQuery = (place: Place, id: string) =>
  routeQuery(getExperiment, { params: { ...inProject(place), id } });

/** The server computes results at most every five minutes. */
export const resultsQuery = (place: Place, id: string) => ({
  ...routeQuery(getExperimentResults, { params: { ...inProject(place), id }, query: {} }),
  refetchInterval: 60_000,
});

export const daysQuery = (place: Place, id: string) =>
  routeQuery(getExperimentTimeseries, { params: { ...inProject(place), id }, query: {} });

export interface CalculatorFields {
  readonly baseline: string;
  readonly effect: string;
  readonly arms: string;
  readonly daily: string;
}
export const calculatorQuery = (place: Place, { baseline, effect, arms, daily }: CalculatorFields) =>
  routeQuery(calculateExperiment, {
    params: inProject(place),
    query: { kind: 'conversion', baseline, effect, arms, ...(daily !== '' && { daily }) },
  });

/** After a change of an experiment. */
export async function refreshExperiments(): Promise<void> {
  const changed = [listExperiments, getExperiment, getExperimentResults, getExperimentTimeseries];
  await Promise.all(changed.map(({ id }) => queryClient.invalidateQueries({ queryKey: [id] })));
}
