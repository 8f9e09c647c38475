import type { listTokens, RouteResponse } from '@fanion/contract';

export type Token = Pick<
  RouteResponse<typeof listTokens>[number],
  'kind' | 'permissions' | 'project' | 'expires_at' | 'revoked_at'
>;

/** Which steps a project has behind it, as the server remembers them: no matter who took them, or in which browser. */
export interface Steps {
  /** A token exists with which programs can send telemetry to the project. */
  readonly token: boolean;
  /** Something has arrived, so the exporter's settings are right, too. */
  readonly sent: boolean;
  /** A flag exists, and a key with which programs can read it. */
  readonly flag: boolean;
}

/** @param now epoch milliseconds */
export function stepsDone(
  { tokens, project, arrived, flags }: { tokens: readonly Token[]; project: string; arrived: boolean; flags: number },
  now: number,
): Steps {
  const valid = tokens.filter(
    (token) =>
      token.revoked_at === null &&
      (token.expires_at === null || Date.parse(token.expires_at) > now) &&
      (token.project === null || token.project === project),
  );
  return {
    token: arrived || valid.some(({ kind, permissions }) => kind === 'api' && permissions.includes('telemetry:ingest')),
    sent: arrived,
    flag: flags > 0 && valid.some(({ kind }) => kind === 'sdk'),
  };
}
