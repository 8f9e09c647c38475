import {
  type CallOptions,
  calculateExperiment,
  getExperiment,
  getExperimentNovelty,
  getExperimentResults,
  getExperimentTimeseries,
  listExperimentInteractions,
  listExperiments,
  type RouteResponse,
} from '@fanion/contract';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type Experiment = RouteResponse<typeof getExperiment>;
export type Replay = NonNullable<Experiment['replay']>;
export type Results = RouteResponse<typeof getExperimentResults>;
export type MeasuredMetric = Results['metrics'][number];
export type VariantNumbers = MeasuredMetric['variants'][number];
export type Point = RouteResponse<typeof getExperimentTimeseries>[number];
export type Dimension = NonNullable<Results['dimension']>;
export type Novelty = RouteResponse<typeof getExperimentNovelty>;
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

/** `dimension`: an OQL expression over the first evaluation of a unit. */
export const dimensionQuery = (place: Place, id: string, dimension: string) =>
  routeQuery(getExperimentResults, { params: { ...inProject(place), id }, query: { dimension } });

export const noveltyQuery = (place: Place, id: string, metric: string) =>
  routeQuery(getExperimentNovelty, { params: { ...inProject(place), id }, query: { metric } });

export const interactionsQuery = (place: Place, id: string) =>
  routeQuery(listExperimentInteractions, { params: { ...inProject(place), id } });

export interface CalculatorFields {
  readonly kind: string;
  readonly baseline: string;
  /** Of a unit; follows from the baseline for shares. */
  readonly stddev?: string;
  readonly effect: string;
  readonly alpha?: string;
  readonly arms: string;
  readonly daily: string;
}
type Kind = NonNullable<CallOptions<typeof calculateExperiment>['query']>['kind'];

export const calculatorQuery = (place: Place, { kind, daily, ...fields }: CalculatorFields) =>
  routeQuery(calculateExperiment, {
    params: inProject(place),
    query: { ...fields, kind: kind as Kind, ...(daily !== '' && { daily }) },
  });

/** Baseline, spread and traffic of a metric, measured on the units of a flag. */
export const ownNumbersQuery = (place: Place, own: { metric: string; flag: string; environment: string }) => ({
  ...routeQuery(calculateExperiment, { params: inProject(place), query: own }),
  staleTime: 300_000,
});

/** After a change of an experiment. */
export const refreshExperiments = () =>
  invalidate(listExperiments, getExperiment, getExperimentResults, getExperimentTimeseries);
