/** Items of acknowledged requests. */
export interface HeldCount {
  items: number;
  /** The time of the earliest one, in milliseconds since the epoch. */
  earliest: number;
}

/** Items of acknowledged requests, by workspace and project. */
export class HeldItems {
  readonly #byWorkspace = new Map<number, Map<number, HeldCount>>();

  add(workspace: number, project: number, items: number, earliest: number): void {
    let projects = this.#byWorkspace.get(workspace);
    if (projects === undefined) {
      projects = new Map();
      this.#byWorkspace.set(workspace, projects);
    }
    const before = projects.get(project);
    projects.set(project, {
      items: (before?.items ?? 0) + items,
      earliest: Math.min(before?.earliest ?? earliest, earliest),
    });
  }

  /** @param project undefined: of the whole workspace */
  of(workspace: number, project: number | undefined): HeldCount {
    const found = { items: 0, earliest: Number.POSITIVE_INFINITY };
    for (const [of, { items, earliest }] of this.#byWorkspace.get(workspace) ?? []) {
      if (project !== undefined && of !== project) continue;
      found.items += items;
      found.earliest = Math.min(found.earliest, earliest);
    }
    return found;
  }
}
