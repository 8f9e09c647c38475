export const invitationMs = 7 * 86_400_000;

export function statusOf(
  invitation: { acceptedAt: Date | null; expiresAt: Date },
  now: number,
): 'pending' | 'accepted' | 'expired' {
  if (invitation.acceptedAt !== null) return 'accepted';
  return invitation.expiresAt.getTime() <= now ? 'expired' : 'pending';
}

/** The mail to the invited person. Plain text, so that names in it cannot contain markup. */
export function invitationMail(facts: {
  to: string;
  workspace: string;
  inviter: string;
  role: string;
  url: string;
  expiresAt: Date;
}): { to: string; subject: string; text: string } {
  const { to, workspace, inviter, role, url, expiresAt } = facts;
  return {
    to,
    subject: `${inviter} invites you to ${workspace} on Fanion`,
    text: [
      `${inviter} invites you to join the workspace ${workspace} as ${role}.`,
      '',
      `Accept here: ${url}`,
      '',
      `The link is for ${to}, works once, and until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
      'If you did not expect this, there is nothing to do.',
      '',
    ].join('\n'),
  };
}
