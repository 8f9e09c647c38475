import { profilesRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { runInSlices } from '../../../platform/breath.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow, type Window } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { aroundFunction, type FlameNode, folding, type Stack, selfOf, unitOf } from './rules.ts';
import { listStacks } from './store.ts';

/** More nodes cannot be drawn or read; beyond this, the smallest branches are merged. */
export const maxNodes = 20_000;

/** Flame graphs: where time is spent, what changed, and the callers and callees of a function. */
export const profilesFeature = {
  name: 'telemetry/profiles',
  routes: handlers,
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(profilesRoutes, {
    async getFlamegraph({ query, signal, ...context }) {
      const window = parseWindow(query, clock.now());
      const { stacks, samples } = await listStacks(telemetry, scopeOf(context), selectionOf(query), { window }, signal);
      const { total, nodes } = await runInSlices(folding(stacks, { windows: 1, maxNodes }));
      return { ...headOf(query.profile_type), total: total[0] ?? 0, samples, nodes: nodes.map(nodeOf) };
    },

    async diffFlamegraph({ query, signal, ...context }) {
      const now = clock.now();
      const window = parseWindow(query, now);
      const arms = armsOf(query);
      const base = arms === undefined ? baseOf(query, window, now) : window;
      const sides = { window, base, ...(arms && { arms }) };
      const { stacks } = await listStacks(telemetry, scopeOf(context), selectionOf(query), sides, signal);
      const { total, nodes } = await runInSlices(folding(stacks, { windows: 2, maxNodes }));
      return {
        ...headOf(query.profile_type),
        total: total[0] ?? 0,
        base_total: total[1] ?? 0,
        window: shown(window),
        base: shown(base),
        nodes: nodes.map((node) => ({ ...nodeOf(node), base_self: node.self[1] ?? 0, base_total: node.total[1] ?? 0 })),
      };
    },

    async getSandwich({ query, signal, ...context }) {
      const window = parseWindow(query, clock.now());
      const { stacks } = await listStacks(telemetry, scopeOf(context), selectionOf(query), { window }, signal);
      const { callers, callees } = aroundFunction(stacks, query.function);
      const tree = (around: readonly Stack[]) => runInSlices(folding(around, { windows: 1, maxNodes }));
      const down = await tree(callees);
      return {
        ...headOf(query.profile_type),
        function: query.function,
        total: stacks.reduce((sum, { values }) => sum + (values[0] ?? 0), 0),
        function_total: down.total[0] ?? 0,
        function_self: selfOf(stacks, query.function),
        callers: (await tree(callers)).nodes.map(nodeOf),
        callees: down.nodes.map(nodeOf),
      };
    },
  });
}

interface Input {
  readonly profile_type: string;
  readonly service?: string | undefined;
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
}

function selectionOf({ profile_type, service, trace_id, span_id }: Input) {
  return { profileType: profile_type, service, traceId: trace_id, spanId: span_id };
}

function headOf(profileType: string) {
  return { profile_type: profileType, unit: unitOf(profileType) };
}

function nodeOf({ parent, name, file, self, total }: FlameNode) {
  return { parent, name, file, self: self[0] ?? 0, total: total[0] ?? 0 };
}

interface ArmsInput {
  readonly flag?: string | undefined;
  readonly variant?: string | undefined;
  readonly base_variant?: string | undefined;
  readonly base_from?: unknown;
  readonly base_to?: unknown;
}

/** Undefined: windows are compared, not variants. */
function armsOf({ flag, variant, base_variant: baseVariant, base_from, base_to }: ArmsInput) {
  if (flag === undefined && variant === undefined && baseVariant === undefined) return undefined;
  if (flag === undefined || variant === undefined || baseVariant === undefined)
    throw fail('INVALID_INPUT', { reason: 'flag: give flag, variant and base_variant together' });
  if (base_from !== undefined || base_to !== undefined)
    throw fail('INVALID_INPUT', {
      reason: 'base_from: variants are compared in one window; leave base_from and base_to out',
    });
  return { flag, variant, baseVariant };
}

/** By default, the window of the same length just before. */
function baseOf(
  { base_from, base_to }: { base_from?: string | number | undefined; base_to?: string | number | undefined },
  { fromNs, toNs }: Window,
  nowMs: number,
): Window {
  if (base_from === undefined && base_to === undefined) return { fromNs: fromNs - (toNs - fromNs), toNs: fromNs };
  return parseWindow({ from: base_from, to: base_to }, nowMs);
}

function shown({ fromNs, toNs }: Window) {
  return { from: formatNs(fromNs), to: formatNs(toNs) };
}
