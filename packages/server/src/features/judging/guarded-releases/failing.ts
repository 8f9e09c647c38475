import type { GuardedContrast, GuardedLook } from '@fanion/contract';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { failingRows } from './failing-rules.ts';
import type { PlacedRelease } from './store.ts';

const shown = 8;

type RolledBack = Pick<
  PlacedRelease,
  'definition' | 'frozen' | 'armed_at' | 'flag' | 'environment' | 'workspace_number' | 'project_number'
>;

/** What the failing rows of a rollback have in common; undefined where rows of the guard cannot fail one by one. */
export type ContrastFailing = (
  release: RolledBack,
  look: GuardedLook,
  signal: AbortSignal,
) => Promise<GuardedContrast | undefined>;

/** Compares the rows of the variant that failed with its others, from the moment at which it was armed to that of the look. */
export function createContrastFailing(gateway: Gateway): ContrastFailing {
  return async (release, look, signal) => {
    const { definition, frozen, armed_at, flag } = release;
    const at = look.guards.findIndex(
      ({ verdict }, i) => verdict === 'harm' && definition.guards[i]?.on_regression === 'rollback',
    );
    const [guard, metric] = [look.guards[at], frozen?.metrics[at]];
    if (guard === undefined || metric === undefined || armed_at === null) return undefined;
    const direction = definition.guards[at]?.direction ?? metric.definition.direction;
    const failed = failingRows({ ...metric.definition, direction }, guard.control, {
      flag,
      variant: definition.variant,
    });
    if (failed === undefined) return undefined;
    const { rows, failing } = failed;
    const nsOf = (time: Date) => BigInt(time.getTime()) * 1_000_000n;
    const answer = await gateway.ask(
      { workspace: release.workspace_number, project: release.project_number, environment: release.environment },
      {
        oql: `${rows} | contrast (${failing}) top ${shown * 3} | where difference > 0 | fields field, value, selected_share, rest_share | limit ${shown}`,
        window: { fromNs: nsOf(armed_at), toNs: nsOf(new Date(look.at)) },
        limit: shown,
      },
      { lane: 'alert', signal },
    );
    return {
      metric: guard.metric,
      failing,
      attributes: answer.rows.map(([field, value, selected, rest]) => ({
        field: String(field),
        value: String(value),
        failing: Number(selected),
        others: Number(rest),
      })),
    };
  };
}
