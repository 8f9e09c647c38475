import { countOf, formatExact, formatPercent } from '../../ui/format/index.ts';
import { curveOf, effectAt, PLACES, placeOf } from './effect-scale.ts';
import classes from './experiments.module.css';
import type { Calculation } from './queries.ts';

const [WIDTH, HEIGHT] = [320, 110];
const TARGET = 0.8;

/** The effect to find, by dragging. */
export function EffectSlider({ effect, onChange }: { effect: number; onChange: (effect: number) => void }) {
  return (
    <div className={classes.stack}>
      <label className={classes.slider}>
        <span>
          Drag the effect to find: <b>{formatPercent(effect)}</b>
        </span>
        <input
          type="range"
          aria-valuetext={formatPercent(effect)}
          min={0}
          max={PLACES}
          step={1}
          value={placeOf(effect)}
          onChange={(event) => onChange(effectAt(Number(event.currentTarget.value)))}
        />
      </label>
    </div>
  );
}

/** Units and days of both kinds of tests, and how the chance to find the effect grows. */
export function PowerPlan({ plan }: { plan: Calculation }) {
  return (
    <>
      <dl className={classes.facts} aria-label="Units needed">
        {(['sequential', 'fixed'] as const).map((kind) => (
          <div key={kind}>
            <dt>{kind === 'sequential' ? 'If you look whenever you like' : 'If you look once, at the end'}</dt>
            <dd>
              {plan[kind].days === null ? `${formatExact(plan[kind].per_arm)} units` : countOf(plan[kind].days, 'day')}
            </dd>
            <dd className={classes.small}>{formatExact(plan[kind].per_arm)} units in each variant</dd>
          </div>
        ))}
      </dl>
      <PowerCurve plan={plan} />
    </>
  );
}

function PowerCurve({ plan: { power_at_days: points } }: { plan: Calculation }) {
  const last = points.at(-1);
  if (last === undefined) return null;
  const path = (kind: 'sequential' | 'fixed') =>
    curveOf(
      points.map((point) => ({ days: point.days, power: point[kind] })),
      last.days,
      WIDTH,
      HEIGHT,
    );
  const y = (1 - TARGET) * HEIGHT;
  return (
    <figure className={classes.curve}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label="Chance by day">
        <line className={classes.zero} x1="0" x2={WIDTH} y1={y} y2={y} strokeDasharray="3 3" />
        <line className={classes.zero} x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <path className={classes.line} d={path('fixed')} strokeDasharray="4 3" vectorEffect="non-scaling-stroke" />
        <path className={classes.line} data-main d={path('sequential')} vectorEffect="non-scaling-stroke" />
      </svg>
      <figcaption className="dim">
        The chance to find the effect, by day up to day {last.days}: {formatPercent(last.sequential)} if you look
        whenever you like (solid), {formatPercent(last.fixed)} if you look once (dashed). The line marks 80%.
      </figcaption>
    </figure>
  );
}
