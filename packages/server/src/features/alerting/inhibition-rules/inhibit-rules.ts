import { type CompiledMatchers, compileStored, type Labels, labelValue, type Matcher } from '../matchers/index.ts';

/** While an alert matches `source`, those that match `target` and agree with it on the labels `equal` are not notified. */
export interface InhibitionRule {
  readonly id: string;
  readonly source: readonly Matcher[];
  readonly target: readonly Matcher[];
  readonly equal: readonly string[];
}

export interface FiringAlert {
  readonly id: string;
  readonly labels: Labels;
}

export interface Inhibitor {
  /** The rules and the firing alerts that inhibit this one. */
  inhibitedBy(alert: FiringAlert): { readonly rules: readonly string[]; readonly alerts: readonly string[] };
}

export interface CompiledInhibitionRule {
  readonly id: string;
  readonly source: CompiledMatchers;
  readonly target: CompiledMatchers;
  readonly equal: readonly string[];
}

export function compileInhibitionRule({ id, source, target, equal }: InhibitionRule): CompiledInhibitionRule {
  return { id, source: compileStored(source), target: compileStored(target), equal };
}

/** How many of the alerts that inhibit another one are named. */
const maxNamed = 5;

/**
 * As Alertmanager inhibits: a label that both lack is equal, and where an alert matches both sides of a rule, alerts that
 * match both sides too do not inhibit it, so that none inhibits itself.
 * @param firing every alert of the workspace that fires, silenced and inhibited ones included
 */
export function createInhibitor(rules: readonly CompiledInhibitionRule[], firing: readonly FiringAlert[]): Inhibitor {
  const indexed = rules.map((rule) => {
    const sources = new Map<string, { readonly id: string; readonly isTarget: boolean }[]>();
    for (const { id, labels } of firing) {
      if (!rule.source.match(labels)) continue;
      const key = equalKey(rule, labels);
      const known = sources.get(key);
      const source = { id, isTarget: rule.target.match(labels) };
      if (known === undefined) sources.set(key, [source]);
      else known.push(source);
    }
    return { rule, sources };
  });

  return {
    inhibitedBy({ id, labels }) {
      const found = { rules: [] as string[], alerts: new Set<string>() };
      for (const { rule, sources } of indexed) {
        if (sources.size === 0 || !rule.target.match(labels)) continue;
        const candidates = sources.get(equalKey(rule, labels)) ?? [];
        const isTwoSided = candidates.length > 0 && rule.source.match(labels);
        const inhibiting = candidates.filter((source) => source.id !== id && !(isTwoSided && source.isTarget));
        if (inhibiting.length === 0) continue;
        found.rules.push(rule.id);
        for (const source of inhibiting) if (found.alerts.size < maxNamed) found.alerts.add(source.id);
      }
      return { rules: found.rules, alerts: [...found.alerts] };
    },
  };
}

function equalKey({ equal }: CompiledInhibitionRule, labels: Labels): string {
  return JSON.stringify(equal.map((name) => labelValue(labels, name)));
}
