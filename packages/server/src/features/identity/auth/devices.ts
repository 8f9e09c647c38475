import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A browser on which somebody has signed in: failed attempts by strangers do not limit it. */
export interface Devices {
  /** The id of the device, if the cookie proves that the account signed in on it before. */
  known(cookie: string | undefined, userId: string): string | undefined;
  /** The cookie of a device after the account has signed in on it. */
  remember(cookie: string | undefined, userId: string): string;
}

/** How many accounts a device remembers. */
const maxAccounts = 8;
const form = /^[\w-]{22}(\.[\w-]{43})*$/;

/**
 * `<id>.<mac>.<mac>…`: a random id, and a signature of it for each account. It grants no access, and does not reveal
 * which accounts they are.
 */
export function createDevices(secretKey: Buffer): Devices {
  const key = createHmac('sha256', secretKey).update('login devices').digest();
  const sign = (id: string, userId: string) => createHmac('sha256', key).update(`${id} ${userId}`).digest('base64url');
  const read = (cookie: string | undefined) =>
    cookie !== undefined && cookie.length <= 500 && form.test(cookie) ? cookie.split('.') : [];
  const holds = (macs: readonly string[], mac: string) =>
    macs.some((one) => timingSafeEqual(Buffer.from(one), Buffer.from(mac)));
  return {
    known(cookie, userId) {
      const [id, ...macs] = read(cookie);
      return id !== undefined && holds(macs, sign(id, userId)) ? id : undefined;
    },
    remember(cookie, userId) {
      const [id = randomBytes(16).toString('base64url'), ...macs] = read(cookie);
      const mac = sign(id, userId);
      const others = macs.filter((one) => one !== mac);
      return [id, mac, ...others.slice(0, maxAccounts - 1)].join('.');
    },
  };
}
