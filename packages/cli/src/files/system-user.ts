import { userInfo } from 'node:os';

/** Who runs the command, for logs: the user of the operating system, and who became it by sudo. */
export function systemUser({ SUDO_USER: sudoUser }: NodeJS.ProcessEnv): string {
  const user = nameOfUser();
  return (sudoUser === undefined ? user : `${sudoUser} as ${user}`).slice(0, 200);
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may have no name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
