/**
 * The least UUIDv7 of a moment. Entries have ids of their time, so a time window is a range of ids, which the index
 * of the list finds.
 */
export function idFloor(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

/** `roles.create` names one action, `roles` all of an area. */
export function matchesAction(filter: string): { exactly: string } | { area: string } {
  return filter.includes('.') ? { exactly: filter } : { area: filter };
}
