import { Failure } from '../../../platform/fail.ts';
import type { AccessFeature } from '../../identity/access/index.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import type { Authenticate } from './principal.ts';

/**
 * Identifies the sender of an ingest request: an API token as Bearer, or as the password of Basic (sent by agents that
 * only support user and password). Returns a rejection as a value, because each protocol words it in its own form.
 */
export function createIngestAuthenticator({
  access,
  retention,
}: {
  access: Pick<AccessFeature, 'ingestToken'>;
  retention: Pick<ProjectRetention, 'of'>;
}): Authenticate {
  return async (authorization) => {
    try {
      const token = await access.ingestToken(secretOf(authorization));
      return { ...token, retentionDays: await retention.of(token.projectId) };
    } catch (error) {
      if (error instanceof Failure && (error.status === 401 || error.status === 403))
        return { denied: error.status, message: error.message };
      throw error;
    }
  };
}

function secretOf(authorization: string | undefined): string | undefined {
  const [, scheme, value] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer') return value;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}
