/** A larger event contains only the address from which to fetch the ruleset. */
export const maxEventBytes = 512 * 1024;

/** `Last-Event-ID`, if it is a version. */
export function lastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) return undefined;
  return Number(header);
}
