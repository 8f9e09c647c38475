/** A larger event contains only the address from which to fetch the ruleset. */
export const maxEventBytes = 512 * 1024;

/** The last event that a client has seen. */
export interface Seen {
  /** Of the ruleset. */
  readonly version: number;
  /** `timeTag` of the ruleset when the event was sent, in streams of refetch events. */
  readonly times: string;
}

/** The id of an event. */
export function eventId({ version, times }: Seen): string {
  return `${version}${times}`;
}

/** `Last-Event-ID`, if it is an id of ours. */
export function lastEventId(header: string | string[] | undefined): Seen | undefined {
  const [, version, times = ''] = (typeof header === 'string' && /^(\d{1,15})(-t\d{1,15})?$/.exec(header)) || [];
  return version === undefined ? undefined : { version: Number(version), times };
}
