import type { Dashboard, DashboardModel, DashboardPanel } from '@fanion/contract';
import { type Box, bottom, settled, within } from './layout.ts';

/** The states of a model that is being edited; undo goes back through them. */
export interface History {
  readonly states: readonly DashboardModel[];
  readonly at: number;
}

const maxStates = 100;

export function historyOf(model: DashboardModel): History {
  return { states: [model], at: 0 };
}

export function currentOf({ states, at }: History): DashboardModel {
  const current = states[at];
  if (current === undefined) throw new Error('a history has at least one state');
  return current;
}

/** A change ends what could be redone. */
export function changed(history: History, model: DashboardModel): History {
  const states = [...history.states.slice(0, history.at + 1), model].slice(-maxStates);
  return { states, at: states.length - 1 };
}

export const canUndo = ({ at }: History) => at > 0;
export const canRedo = ({ states, at }: History) => at < states.length - 1;
export function undone(history: History): History {
  return canUndo(history) ? { ...history, at: history.at - 1 } : history;
}
export function redone(history: History): History {
  return canRedo(history) ? { ...history, at: history.at + 1 } : history;
}

/** What is saved and exported of a dashboard. */
export function modelOf(dashboard: Dashboard): DashboardModel {
  const { schema_version, name, description, tags, panels, variables, links, time } = dashboard;
  return { schema_version, name, description, tags, panels, variables, links, time };
}

/** The first free id `panel-1`, `panel-2`, … */
export function freeId(panels: readonly DashboardPanel[]): string {
  const taken = new Set(panels.map(({ id }) => id));
  for (let n = 1; ; n++) if (!taken.has(`panel-${n}`)) return `panel-${n}`;
}

export type FreshPanel = 'time_series' | 'text' | 'row';

/** A panel to begin with. */
export function freshPanel(type: FreshPanel, id: string): DashboardPanel {
  const fresh = { id, title: '', description: '', x: 0, y: 0 };
  switch (type) {
    case 'row':
      return { ...fresh, type, title: 'Row', w: 24, h: 1 };
    case 'text':
      return { ...fresh, type, text: '', w: 12, h: 4 };
    case 'time_series':
      return { ...fresh, type, query: '', w: 12, h: 8 };
  }
}

/** Adds a panel below all others. */
export function withPanel(model: DashboardModel, panel: DashboardPanel): DashboardModel {
  return { ...model, panels: [...model.panels, { ...panel, y: bottom(model.panels) }] };
}

export function withoutPanel(model: DashboardModel, id: string): DashboardModel {
  return { ...model, panels: model.panels.filter((panel) => panel.id !== id) };
}

export function withPanelChanged(model: DashboardModel, panel: DashboardPanel): DashboardModel {
  return { ...model, panels: model.panels.map((one) => (one.id === panel.id ? panel : one)) };
}

/** The copy stands beside the original if there is room, else below it. */
export function withDuplicate(model: DashboardModel, id: string): DashboardModel {
  const original = model.panels.find((panel) => panel.id === id);
  if (original === undefined) return model;
  const isRoom = original.x + 2 * original.w <= 24;
  const place = isRoom ? { x: original.x + original.w } : { y: original.y + original.h };
  const copy = { ...original, ...place, id: freeId(model.panels) };
  return { ...model, panels: settled([...model.panels, copy], copy.id) };
}

/** Moves or resizes a panel; others make room. */
export function withBox(
  model: DashboardModel,
  id: string,
  change: Partial<Pick<Box, 'x' | 'y' | 'w' | 'h'>>,
): DashboardModel {
  const panels = model.panels.map((panel) => (panel.id === id ? within(panel, change) : panel));
  return { ...model, panels: settled(panels, id) };
}
