import { LOGS } from '../fixture.ts';
import { failing, type Golden, minutes, sum } from '../golden/expected.ts';
import { counted } from './expected.ts';

/** Parsing and comparing texts. */
export const TEXT_ANSWERS: readonly Golden[] = [
  { query: 'logs | where body["ok"] == true | stats n=count(), t=sum(int(body["took"]))', rows: [[3, 60]] },
  {
    query:
      'logs | parse body "request <n:int> served in <took:int>ms <_>" | where n % 2 == 0 | stats n=count(), t=sum(took)',
    rows: [[30, sum(minutes.filter((n) => n % 2 === 0).map((n) => n + 1))]],
  },
  {
    query: String.raw`logs | parse body regex "(?<word>\w+) (?<n>\d+)" | where word == "order" | stats ids=values(int(n))`,
    rows: [[failing]],
  },
  {
    query: 'logs | extend user = attr.user.id, word = regex_extract(body, "^([A-Za-z]+)") | stats n=count() by word',
    rows: counted(LOGS.map(({ body }) => /^([A-Za-z]+)/.exec(body)?.[1] ?? null)),
  },
  {
    query: 'logs | extend n = length(body) | stats lo=min(n), hi=max(n)',
    rows: [[Math.min(...LOGS.map(({ body }) => body.length)), Math.max(...LOGS.map(({ body }) => body.length))]],
  },
  { query: 'logs | patterns | fields count | sort -count', rows: [[60], [6], [3]] },
];
