import classes from './matchers.module.css';
import { type Matcher, matcherText } from './matchers.ts';

/** Matchers as they are written: `team=~"a|b"`. */
export function MatcherList({ matchers }: { matchers: readonly Matcher[] }) {
  return (
    <span className={classes.list}>
      {matchers.map((matcher) => (
        <span key={matcherText(matcher)} className={classes.matcher}>
          <b>
            {matcher.name}
            {matcher.op}
          </b>
          “{matcher.value}”
        </span>
      ))}
    </span>
  );
}
