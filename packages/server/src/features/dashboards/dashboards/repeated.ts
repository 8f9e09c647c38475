import { type DashboardPanel, withRepeats } from '@fanion/contract';
import type { QueryScope } from '../../telemetry/query/index.ts';
import type { VariableRequest } from './data.ts';
import type { ListOptions } from './options.ts';
import { chosenOf } from './variable-rules.ts';

/** The panels with their copies. Asks for the values of a variable only if panels repeat by it and all of its values are shown. */
export async function repeatedPanels(
  options: ListOptions,
  scope: QueryScope,
  panels: readonly DashboardPanel[],
  request: VariableRequest,
  signal: AbortSignal,
): Promise<DashboardPanel[]> {
  const { definitions, variables } = request;
  const names = new Set(panels.flatMap(({ repeat }) => repeat?.variable ?? []));
  const chosen = new Map(definitions.map((one) => [one.name, names.has(one.name) ? chosenOf(one, variables) : []]));
  const isListed = ({ name }: { readonly name: string }) => names.has(name) && chosen.get(name) === undefined;
  const offered = definitions.some(isListed) ? await options(scope, request, signal, isListed) : [];
  const all = new Map(offered.map(({ name, options: values }) => [name, values]));
  return withRepeats(panels, (name) => chosen.get(name) ?? all.get(name));
}
