import type { Parameters } from '../../read/request.ts';
import { storable } from '../../read/window.ts';
import { invalid } from './answer.ts';
import { type Window, wholeOf } from './parameter-rules.ts';

const defaultLookbackMs = 86_400_000n;

/** The window of a list of dependencies, whose times are in milliseconds. */
export function dependencyWindow(parameters: Parameters, nowNs: bigint): Window {
  const [endTs, lookback] = [parameters.one('endTs'), parameters.one('lookback')];
  const toNs = endTs === undefined ? nowNs : wholeOf('endTs', endTs) * 1_000_000n;
  const ms = lookback === undefined ? defaultLookbackMs : wholeOf('lookback', lookback);
  if (ms < 0n) throw invalid("unable to parse param 'lookback': it must not be negative");
  return storable({ fromNs: toNs - ms * 1_000_000n, toNs });
}

interface ServiceMap {
  readonly nodes: readonly { readonly id: string; readonly name: string; readonly kind: string }[];
  readonly edges: readonly { readonly source: string; readonly target: string; readonly calls: number }[];
}

/** Calls between services, as the UI draws them; databases and queues have no spans of their own and are no services. */
export function dependenciesOf({ nodes, edges }: ServiceMap, service: string | undefined) {
  const names = new Map(nodes.filter(({ kind }) => kind === 'service').map(({ id, name }) => [id, name]));
  return edges.flatMap(({ source, target, calls }) => {
    const [parent, child] = [names.get(source), names.get(target)];
    if (parent === undefined || child === undefined) return [];
    if (service !== undefined && parent !== service && child !== service) return [];
    return [{ parent, child, callCount: Math.round(calls) }];
  });
}
