import type { Suspect, What } from './answer.ts';

/**
 * A suspect in one sentence, such as "image-cdn → 100 % at 10:56; errors +3 points, only in traces with `true`; explains 87 % of them".
 * Times are UTC.
 * @param noun what is selected, in the plural: "errors"
 */
export function sentenceOf({ what, change, effect, explains, standing }: Suspect, noun: string): string {
  const points = `${noun} ${pointsOf(effect.value)}`;
  const where = what.kind === 'flag' ? `, only in traces with \`${what.variant}\`` : '';
  const parts = [
    standing ? `${titleOf(what, change)}, as before` : titleOf(what, change),
    `${points}${where}`,
    `explains ${Math.round(explains * 100)} % of them`,
  ];
  return parts.join('; ');
}

function titleOf(what: What, change: Suspect['change']): string {
  const time = change === undefined ? '' : ` at ${new Date(change.atMs).toISOString().slice(11, 16)}`;
  switch (what.kind) {
    case 'flag':
      return change?.kind === 'flag' ? `${what.flag} → ${change.detail}${time}` : what.flag;
    case 'deploy':
      return `${what.service} ${what.version}${time}`;
    case 'attribute':
      return what.values.map(({ field, value }) => `${field} = ${value}`).join(' and ');
    default:
      return `${what.kind === 'error' ? 'New error' : 'New log pattern'} “${what.name}”`;
  }
}

/** A difference of shares in percentage points: two significant digits below ten. */
function pointsOf(value: number): string {
  const points = value * 100;
  const digits = Math.abs(points) >= 10 ? 0 : Math.abs(points) >= 1 ? 1 : 2;
  const text = Number(points.toFixed(digits)).toString();
  return `${points >= 0 ? '+' : ''}${text} ${text === '1' ? 'point' : 'points'}`;
}
