import { z } from 'zod';
import { address, type SettingsOf, setting } from '../settings.ts';

export type MailSettings = SettingsOf<typeof mailSettings>;

export const mailSettings = {
  smtpUrl: setting('FANION_SMTP_URL', address(/^smtps?$/, 'an smtp or smtps address').optional(), {
    help: 'The mail server, as `smtps://user:password@host`. Not set: mails are written as files to `mail` in the data directory',
  }),
  from: setting('FANION_MAIL_FROM', z.string().default('Fanion <fanion@localhost>'), {
    range: 'an address',
    help: 'The sender of mails',
  }),
};
