import { type DashboardPanel, queryPanelTypes } from '@fanion/contract';

const splittable: ReadonlySet<string> = new Set(queryPanelTypes.filter((type) => type !== 'flame_graph'));

/** Whether a panel can show the variants of a flag apart. Queries without traces, such as metrics, are refused by the server. */
export function canSplit({ type, query_language }: Pick<DashboardPanel, 'type' | 'query_language'>): boolean {
  return splittable.has(type) && query_language !== 'promql';
}

/** Panels by id with the flag that a reader splits them by; empty: not split. */
export type Splits = Readonly<Record<string, string>>;

/** As they stand in the address: `errors:new-checkout,latency:`. Ids and keys have neither of the separators. */
export function printSplits(splits: Splits): string | undefined {
  const parts = Object.entries(splits).map(([panel, flag]) => `${panel}:${flag}`);
  return parts.length === 0 ? undefined : parts.join(',');
}

const form = /^([A-Za-z0-9_-]{1,64}):(\$?[A-Za-z0-9._-]{0,128})$/;

/** The reverse; what cannot be read is left out. */
export function parseSplits(text: string | undefined): Splits {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((part) => {
      const [, panel, flag] = form.exec(part) ?? [];
      return panel === undefined || flag === undefined ? [] : [[panel, flag]];
    }),
  );
}

/** Without what the dashboard says already. */
export function withSplitOf(splits: Splits, { id, split }: DashboardPanel, flag: string | undefined): Splits {
  const { [id]: _, ...others } = splits;
  return flag === split?.flag ? others : { ...others, [id]: flag ?? '' };
}

/** The panel, split by a flag or not. */
export function splitBy(panel: DashboardPanel, flag: string | undefined): DashboardPanel {
  const { split: _, ...whole } = panel;
  return flag === undefined || flag === '' || !canSplit(panel) ? whole : { ...whole, split: { flag } };
}

/** The panels as a reader splits them. */
export function withSplits(panels: readonly DashboardPanel[], splits: Splits): DashboardPanel[] {
  return panels.map((panel) => (Object.hasOwn(splits, panel.id) ? splitBy(panel, splits[panel.id]) : panel));
}
