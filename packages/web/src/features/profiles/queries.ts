import { diffFlamegraph, getFlamegraph, getSandwich } from '@fanion/contract';
import { routeQuery } from '../../api/queries.ts';
import { prefetch, queryClient } from '../../app/query-client.ts';
import { type FieldScope, fieldsQuery } from '../../telemetry/field-hints.ts';

interface ProfileSearch extends Omit<ProfileSelection, keyof FieldScope | 'type'> {
  readonly type: string | undefined;
}

export interface ProfileSelection extends FieldScope {
  type: string;
  service: string | undefined;
  trace: string | undefined;
  span: string | undefined;
}

/** The types of the profiles of a window. */
export const typesQuery = (scope: FieldScope) => fieldsQuery(scope, { source: 'profiles', field: 'profile_type' });

/** The type that is shown first: time on the processor, if there is such a profile. */
export function firstType(types: readonly string[]): string | undefined {
  return types.find((type) => type.startsWith('cpu')) ?? types[0];
}

/** Starts to fetch the flame graph of a page, whose type is known only when the types are. */
export async function prefetchFlame(scope: FieldScope, { type, ...only }: ProfileSearch): Promise<void> {
  const types = queryClient.fetchQuery(typesQuery(scope)).catch(() => undefined);
  const shown = type ?? firstType((await types)?.values.map(({ value }) => value) ?? []);
  if (shown !== undefined) prefetch(flameQuery({ ...scope, type: shown, ...only }));
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
/** The traces of two variants of a flag, in one window. */
export const armsDiffQuery = ({
  flag,
  variant,
  control,
  ...selection
}: FieldScope & { type: string; flag: string; variant: string; control: string }) =>
  routeQuery(diffFlamegraph, {
    params: { ws: selection.ws },
    query: {
      ...asked({ ...selection, service: undefined, trace: undefined, span: undefined }),
      ...{ flag, variant, base_variant: control },
    },
  });
export const sandwichQuery = (selection: ProfileSelection, name: string) =>
  routeQuery(getSandwich, { params: { ws: selection.ws }, query: { ...asked(selection), function: name } });
