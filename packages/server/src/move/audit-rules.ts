import { z } from 'zod';

const Places = z.object({ control: z.string().optional(), telemetry: z.string().optional() });

/** An entry of the audit log about a move. */
export const MoveEntry = z.object({
  /** Of the move: a move that is run again after an error or a kill keeps it. */
  id: z.string(),
  action: z.enum(['move.start', 'move.complete', 'move.fail']),
  at: z.iso.datetime(),
  /** The operating system's user who ran the command. */
  by: z.string(),
  /** Each moved store. */
  from: Places,
  to: Places,
  /** The result of a move that has ended. */
  outcome: z.union([
    z.object({}).strict(),
    z.object({ telemetry_rows: z.number(), control_rows: z.number() }).strict(),
    z.object({ reason: z.string() }).strict(),
  ]),
});
export type MoveEntry = z.infer<typeof MoveEntry>;

/** Places of stores, as people read them in the audit log. */
export type MovePlaces = z.infer<typeof Places>;

/** Where an external store is: the hosts and the path of its URL, without user, password and parameters. */
export function placeOfUrl(url: string): string {
  const [, scheme = '', rest = ''] = /^(\w+:\/\/)(.*)$/.exec(url) ?? [];
  const [address = '', query = ''] = rest.split('?', 2);
  const hosts = address.slice(address.lastIndexOf('@') + 1);
  // Of PostgreSQL: a socket has no place in the host of a URL.
  const host = new URLSearchParams(query).get('host') ?? '';
  return `${scheme}${host}${hosts}`;
}

/** The longest reason in an entry. */
const LONGEST_REASON = 1_000;

/** The reason of a failed move. Messages of libraries may repeat the password of an address. */
export function reasonOf(message: string, urls: readonly (string | undefined)[]): string {
  const passwords = urls.flatMap((url) => {
    const password = /^\w+:\/\/[^/?]*?:([^/?]*)@/.exec(url ?? '')?.[1] ?? '';
    return password === '' ? [] : [password, decoded(password)];
  });
  const masked = passwords.reduce((text, password) => text.replaceAll(password, '[secret]'), message);
  return masked.slice(0, LONGEST_REASON);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded: the text is the password.
    return text;
  }
}
