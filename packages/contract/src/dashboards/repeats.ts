import { type DashboardPanel, dashboardColumns } from './model.ts';

type Scalar = string | number | boolean;
/** The values that a variable has or can have; undefined while they are not known. */
export type RepeatValues = (variable: string) => readonly Scalar[] | undefined;

/** A variable with more values gets no more copies; a text panel below them says so. */
export const mostCopies = 50;
/** Further panels are left out; the last panel says so. */
export const mostRepeatedPanels = 500;
const usualPerLine = 4;

/**
 * The panels of a dashboard with a copy of each row, with its panels, and of each panel for each value of the variable that it repeats by.
 * A copy has its value in `variables`. The first copy keeps the id. What is below moves down.
 */
export function withRepeats(panels: readonly DashboardPanel[], valuesOf: RepeatValues): DashboardPanel[] {
  if (!panels.some(({ repeat }) => repeat !== undefined)) return [...panels];
  const idOf = createIds(panels);
  const shown: DashboardPanel[] = [];
  let down = 0;
  for (const section of sectionsOf(panels)) {
    const top = Math.min(...section.map(({ y }) => y));
    for (const copy of copiesOfSection(section, valuesOf)) {
      const placed = withCopies(copy, valuesOf);
      for (const panel of placed) shown.push({ ...panel, id: idOf(panel.id), y: panel.y + down });
      down += bottomOf(placed) - top;
      if (shown.length > mostRepeatedPanels) return cut(shown);
    }
    down -= bottomOf(section) - top;
  }
  return shown;
}

/** What stands before the first row, and each row with the panels up to the next one. */
function sectionsOf(panels: readonly DashboardPanel[]): DashboardPanel[][] {
  const sections: DashboardPanel[][] = [];
  for (const panel of panels.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const last = sections.at(-1);
    if (last === undefined || panel.type === 'row') sections.push([panel]);
    else last.push(panel);
  }
  return sections;
}

function copiesOfSection(section: readonly DashboardPanel[], valuesOf: RepeatValues): readonly DashboardPanel[][] {
  const [row, ...inside] = section;
  const values = row?.type === 'row' ? valuesFor(row, valuesOf) : [];
  const variable = row?.repeat?.variable;
  if (row === undefined || variable === undefined || values.length === 0) return [[...section]];
  const copies = values.map((value) => [
    withoutRepeat(withValue(row, variable, value)),
    ...inside.map((panel) => withValue(panel, variable, value)),
  ]);
  copies.at(-1)?.push(...leftOut(row, valuesOf, bottomOf(section)));
  return copies;
}

/** A section with the copies of its panels; others make room for them. */
function withCopies(section: readonly DashboardPanel[], valuesOf: RepeatValues): readonly DashboardPanel[] {
  if (!section.some(({ type, repeat }) => type !== 'row' && repeat !== undefined)) return section;
  const placed: DashboardPanel[] = [];
  for (const panel of section)
    for (const copy of copiesOfPanel(panel, valuesOf)) {
      const below = placed.filter((other) => other.x < copy.x + copy.w && copy.x < other.x + other.w);
      const y = Math.max(copy.y, ...below.map((other) => other.y + other.h));
      placed.push({ ...copy, y });
    }
  return placed;
}

function copiesOfPanel(panel: DashboardPanel, valuesOf: RepeatValues): readonly DashboardPanel[] {
  const { repeat, type, x, y, w, h } = panel;
  const values = type === 'row' ? [] : valuesFor(panel, valuesOf);
  if (repeat === undefined || values.length === 0) return [panel];
  const perLine = Math.min(values.length, repeat.max_per_line ?? usualPerLine);
  const width = Math.floor(dashboardColumns / perLine);
  const copies = values.map((value, at) => {
    const place =
      repeat.direction === 'down'
        ? { x, y: y + at * h, w }
        : { x: (at % perLine) * width, y: y + Math.floor(at / perLine) * h, w: width };
    return { ...withoutRepeat(withValue(panel, repeat.variable, value)), ...place };
  });
  return [...copies, ...leftOut(panel, valuesOf, bottomOf(copies))];
}

/** Says which values have no copy. */
function leftOut({ id, repeat }: DashboardPanel, valuesOf: RepeatValues, y: number): readonly DashboardPanel[] {
  const { length } = (repeat && valuesOf(repeat.variable)) ?? [];
  if (repeat === undefined || length <= mostCopies) return [];
  return [
    noteOf(
      id,
      y,
      `The first ${mostCopies} of ${length} values of \`$${repeat.variable}\` are shown. Choose some of them.`,
    ),
  ];
}

function cut(panels: readonly DashboardPanel[]): DashboardPanel[] {
  const kept = panels.slice(0, mostRepeatedPanels - 1);
  const { id = '' } = panels[mostRepeatedPanels - 1] ?? {};
  const text = `A dashboard shows ${mostRepeatedPanels} panels. Choose fewer values of its variables to see the others.`;
  return [...kept, noteOf(id, bottomOf(kept), text)];
}

function noteOf(id: string, y: number, text: string): DashboardPanel {
  return { id, type: 'text', title: '', description: '', x: 0, y, w: dashboardColumns, h: 2, text };
}

/** None for a panel whose row has a value of the same variable already. */
function valuesFor({ repeat, variables = {} }: DashboardPanel, valuesOf: RepeatValues): readonly Scalar[] {
  if (repeat === undefined || Object.hasOwn(variables, repeat.variable)) return [];
  return (valuesOf(repeat.variable) ?? []).slice(0, mostCopies);
}

function withValue(panel: DashboardPanel, variable: string, value: Scalar): DashboardPanel {
  return { ...panel, variables: { ...panel.variables, [variable]: value } };
}

function withoutRepeat({ repeat: _, ...panel }: DashboardPanel): DashboardPanel {
  return panel;
}

function bottomOf(panels: readonly DashboardPanel[]): number {
  return panels.reduce((row, { y, h }) => Math.max(row, y + h), 0);
}

const longestId = 64;

/** Ids of copies: `cpu`, `cpu-2`, `cpu-3`. */
function createIds(panels: readonly DashboardPanel[]): (id: string) => string {
  const taken = new Set(panels.map(({ id }) => id));
  const given = new Map<string, number>();
  return (id) => {
    const before = given.get(id);
    if (before === undefined) {
      given.set(id, 1);
      return id;
    }
    for (let n = before + 1; ; n++) {
      const ending = `-${n}`;
      const free = `${id.slice(0, longestId - ending.length)}${ending}`;
      if (taken.has(free)) continue;
      taken.add(free);
      given.set(id, n);
      return free;
    }
  };
}
