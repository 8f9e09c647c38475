/** Where an external store is: the hosts and the path of its URL, without user, password and parameters. */
export function placeOfUrl(url: string): string {
  const [, scheme = '', rest = ''] = /^(\w+:\/\/)(.*)$/.exec(url) ?? [];
  const [address = '', query = ''] = rest.split('?', 2);
  const hosts = address.slice(address.lastIndexOf('@') + 1);
  // Of PostgreSQL: a socket has no place in the host of a URL.
  const host = new URLSearchParams(query).get('host') ?? '';
  return `${scheme}${host}${hosts}`;
}

/** The longest reason in an entry of the audit log or in the log. */
const LONGEST_REASON = 1_000;

/** The reason of a failed copy. Messages of libraries may repeat the password of an address. */
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
