import { type Permission, permissionNames, permissions } from '@fanion/contract';
import { fail } from '../../../platform/fail.ts';

/** Limit of live API tokens and SDK keys of a workspace, in total. */
export const maxTokens = 500;

export type PinDepth = 'workspace' | 'project' | 'environment';

const reach = { workspace: 0, project: 1, environment: 2 } as const;

/**
 * The permissions of a token, without duplicates. Throws `INVALID_INPUT` that lists all permissions whose effect reaches
 * beyond the token's pin.
 */
export function fitToPin(wanted: readonly Permission[], pin: PinDepth): Permission[] {
  const unfit = wanted.flatMap((permission, index) =>
    reach[permissions[permission].level] < reach[pin]
      ? [
          {
            path: `permissions.${index}`,
            message: `${permission} has its effect on the whole ${permissions[permission].level}; a token that is pinned to one ${pin} cannot have it`,
          },
        ]
      : [],
  );
  const [first] = unfit;
  if (first !== undefined)
    throw fail('INVALID_INPUT', { reason: `${first.path}: ${first.message}` }, { details: unfit });
  return permissionNames.filter((permission) => wanted.includes(permission));
}

/**
 * The expiry of a new token: in the future, and not after that of the token that creates it (`makerEnd`; null: never).
 * Throws `INVALID_INPUT`.
 */
export function endOfToken(wanted: string | undefined, makerEnd: Date | null, now: Date): Date | null {
  if (wanted === undefined) return makerEnd;
  const end = new Date(wanted);
  const refuse = (message: string) =>
    fail('INVALID_INPUT', { reason: `expires_at: ${message}` }, { details: [{ path: 'expires_at', message }] });
  if (end <= now) throw refuse('is in the past');
  if (makerEnd !== null && end > makerEnd) throw refuse('is after the expiry of the token that creates this one');
  return end;
}

/** Origins as browsers send them (`https://Shop.example:443` is `https://shop.example`), without duplicates. */
export function normaliseOrigins(origins: readonly string[]): string[] {
  const normal = origins.map((origin, index) => {
    if (!URL.canParse(origin)) {
      const path = `allowed_origins.${index}`;
      const message = 'is not an origin';
      throw fail('INVALID_INPUT', { reason: `${path}: ${message}` }, { details: [{ path, message }] });
    }
    return new URL(origin).origin;
  });
  return [...new Set(normal)];
}

/** Encryption hides rules, and a client key reads none. Throws `INVALID_INPUT`. */
export function requireServerForEncryption(key: {
  readonly kind: 'server' | 'client';
  readonly growthbook_encryption: boolean;
}): void {
  if (!key.growthbook_encryption || key.kind === 'server') return;
  const path = 'growthbook_encryption';
  const message = 'a client key cannot read rules, so there is nothing to encrypt: use the kind server';
  throw fail('INVALID_INPUT', { reason: `${path}: ${message}` }, { details: [{ path, message }] });
}
