import { type ChannelKind, channelConfigs, secretFieldsOf } from '@fanion/contract';

export type Fields = Readonly<Record<string, unknown>>;

/** A configuration in its two parts. */
export interface SplitConfig {
  readonly open: Fields;
  readonly secret: Fields;
}

export function splitConfig(kind: ChannelKind, config: Fields): SplitConfig {
  const names = new Set(secretFieldsOf(kind));
  const part = (secret: boolean) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => names.has(name) === secret));
  return { open: part(false), secret: part(true) };
}

/** A configuration after a change; null removes a field. */
export function changedConfig(before: Fields, change: Fields): Fields {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
}

/**
 * The secrets that a change must give again, or remove: without that, a user who may change a channel could send its secrets
 * to an address of his own, or get his messages signed with them. It does not matter whether the address is a secret itself.
 */
export function missingSecrets(before: SplitConfig, change: Fields): string[] {
  const moved = 'url' in change && change.url !== (before.open.url ?? before.secret.url);
  return moved ? Object.keys(before.secret).filter((name) => name !== 'url' && !(name in change)) : [];
}

/** What is wrong with a configuration, by field. */
export function configIssues(kind: ChannelKind, config: Fields): { path: string; message: string }[] {
  const { error } = channelConfigs[kind].safeParse(config);
  return (error?.issues ?? []).map(({ path, message }) => ({ path: ['config', ...path].join('.'), message }));
}

/** Where a channel sends to, as far as that is no secret. */
export function targetOf(kind: ChannelKind, config: Fields): string {
  if (kind === 'email') return Array.isArray(config.to) ? config.to.join(', ') : '';
  const url = String(config.url);
  return URL.canParse(url) ? new URL(url).host : '';
}

/**
 * Whether a channel can fall back on another one: the way from there never comes back.
 * @param fallbacks of the workspace, without the change
 */
export function closesCircle(id: string, fallback: string, fallbacks: ReadonlyMap<string, string>): boolean {
  const seen = new Set([id]);
  for (let at: string | undefined = fallback; at !== undefined; at = fallbacks.get(at)) {
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}
