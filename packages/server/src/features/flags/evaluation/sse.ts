/** An event that is larger only says where the whole is to be fetched. */
export const maxEventBytes = 512 * 1024;

/** `Last-Event-ID`, where it is a version. */
export function lastEventId(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) return undefined;
  return Number(header);
}
