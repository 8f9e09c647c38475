import type { Tone } from '../../alerting/states.ts';
import type { GuardedRelease } from '../judging/queries.ts';

type Verdict = NonNullable<GuardedRelease['last_look']>['guards'][number]['verdict'];

/** The three verdicts of a guard, as every page says them. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  harm: 'harm',
  no_harm: 'no harm',
  not_sure: 'not sure yet',
};

interface Looked {
  readonly state: GuardedRelease['state'];
  readonly ended_at: string | null;
  readonly last_look: { readonly guards: readonly { readonly name: string; readonly verdict: Verdict }[] } | null;
}

const RECENT_MS = 86_400_000;

/** Whether the end of a release is still news: for a day. */
export function isRecent(endedAt: string | null, now: number): boolean {
  return endedAt !== null && now - Date.parse(endedAt) <= RECENT_MS;
}

/** What the guards of a release said last. Nothing is green beside a measured harm. */
export function verdictLabels(
  release: Looked | null,
  now: number,
): { readonly name: string; readonly label: string; readonly tone: Tone }[] {
  if (release === null || release.state === 'draft' || release.last_look === null) return [];
  if (release.ended_at !== null && !isRecent(release.ended_at, now)) return [];
  const { guards } = release.last_look;
  const isHarmed = guards.some(({ verdict }) => verdict === 'harm');
  const toneOf = (verdict: Verdict): Tone =>
    verdict === 'harm' ? 'firing' : verdict === 'no_harm' && !isHarmed ? 'ok' : 'off';
  return guards.map(({ name, verdict }) => ({ name, label: VERDICT_WORDS[verdict], tone: toneOf(verdict) }));
}
