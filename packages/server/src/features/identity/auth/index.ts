import type { Config } from '../../../config.ts';
import type { MountedRoute } from '../../../http/context.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import { createAttempts } from './attempts.ts';
import { createDevices } from './devices.ts';
import { expiredJob } from './expired.ts';
import { authHandlers } from './handlers.ts';
import { createProviders } from './oidc/providers.ts';
import { createOidcSignIn } from './oidc/service.ts';
import { type AuthLimits, defaultLimits } from './rules.ts';

export { publicOrigin, setDeviceCookie, setSessionCookie } from './cookies.ts';
export { createDevices } from './devices.ts';
export { hashPassword } from './passwords.ts';
export { defaultLimits } from './rules.ts';
export { actingAs, type Browser, browserOf, openSession } from './sessions.ts';
export { findUser, insertUser, type UserRow } from './store.ts';
export { userView } from './views.ts';

export interface AuthDependencies extends FeatureDependencies {
  readonly config: Pick<Config, 'baseUrl' | 'signup' | 'oidc' | 'secretKey'>;
  readonly limits?: AuthLimits;
}

/** Accounts, sessions and sign-in. Throws `ConfigError` for an issuer that is not allowed. */
export const authFeature = {
  name: 'identity/auth',
  routes: handlers,
  jobs: () => [expiredJob],
} satisfies Feature;

function handlers(dependencies: AuthDependencies): MountedRoute[] {
  const { config, limits = defaultLimits, db, clock } = dependencies;
  const parts = {
    ...dependencies,
    signup: config.signup,
    limits,
    devices: createDevices(config.secretKey),
    attempts: createAttempts(db, clock),
  };
  return authHandlers(parts, createOidcSignIn({ ...parts, providers: createProviders(config.oidc, clock) }), config);
}
