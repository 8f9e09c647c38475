import { diffFlamegraph, getFlamegraph, getSandwich } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';
import type { FieldScope } from '../../telemetry/field-hints.ts';

export interface ProfileSelection extends FieldScope {
  type: string;
  service: string | undefined;
  trace: string | undefined;
  span: string | undefined;
}

function asked({ project, environment, range, type, service, trace, span }: ProfileSelection) {
  return {
    profile_type: type,
    project,
    ...range,
    ...(environment !== undefined && { environment }),
    ...(service !== undefined && { service }),
    ...(trace !== undefined && { trace_id: trace }),
    ...(span !== undefined && { span_id: span }),
  };
}

export const flameQuery = (selection: ProfileSelection) =>
  routeQuery(getFlamegraph, { params: { ws: selection.ws }, query: asked(selection) });
export const diffQuery = (selection: ProfileSelection) =>
  routeQuery(diffFlamegraph, { params: { ws: selection.ws }, query: asked(selection) });
export const sandwichQuery = (selection: ProfileSelection, name: string) =>
  routeQuery(getSandwich, { params: { ws: selection.ws }, query: { ...asked(selection), function: name } });
