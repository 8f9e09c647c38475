import { readChannelNames } from './channel-names.ts';
import type { Connection } from './connect.ts';
import type { Source } from './documents.ts';
import { fieldsOf } from './fields.ts';
import { type Context, type Kind, type Step, whyOf } from './kind.ts';
import { count, type Outcome, type Part } from './part.ts';

/** Documents of one kind. */
export interface KindSources {
  readonly kind: Kind;
  readonly sources: readonly Source[];
}

export interface ResourceOptions {
  /** Removes what is on the server and in no file, of the kinds that are given. */
  readonly prune: boolean;
  readonly updateSecrets: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What brings the kinds that are given in line with their documents; other kinds stay as they are. */
export async function planResources(
  connection: Connection,
  given: readonly KindSources[],
  { prune, updateSecrets, env }: ResourceOptions,
): Promise<Part> {
  const plannedNames = (folder: string) => namesOf(given, folder);
  const channels = await readChannelNames(connection);
  for (const name of plannedNames('channels')) channels.expect(name);
  const context: Context = { connection, env, updateSecrets, channels, plannedNames };
  const problems: string[] = [];
  const steps: Step[] = [];
  const removals: Step[] = [];
  const remarks: string[] = [];
  for (const { kind, sources } of given) {
    const plan = await kind.plan(sources, context, { prune });
    problems.push(...plan.problems);
    steps.push(...plan.steps);
    removals.unshift(...plan.removals);
    if (plan.unnamed > 0) {
      const verb = plan.unnamed === 1 ? 'has no file and is' : 'have no file and are';
      remarks.push(`${count(plan.unnamed, kind.noun)} ${verb} not changed`);
    }
  }
  const changes = [...steps, ...removals];
  return { problems, changes, remarks, run: (terminal) => run(changes, (line) => terminal.err(line)) };
}

/** The names that the documents of a folder define; of what has a key, the keys. */
function namesOf(given: readonly KindSources[], folder: string): ReadonlySet<string> {
  const sources = given.filter(({ kind }) => kind.folder === folder).flatMap((one) => one.sources);
  return new Set(
    sources.flatMap(({ content }) => {
      const { key, name } = fieldsOf(content);
      return key === undefined && name === undefined ? [] : [String(key ?? name)];
    }),
  );
}

/** One after the other; a step that fails does not hold up the others. */
async function run(steps: readonly Step[], tell: (line: string) => void): Promise<Outcome> {
  let [done, failed] = [0, 0];
  for (const step of steps) {
    try {
      await step.run();
      done++;
    } catch (error) {
      failed++;
      tell(`  ! ${step.title}${step.where ? ` (${step.where})` : ''}: ${whyOf(error)}`);
    }
  }
  return { done, failed, waits: 0, kept: 0, skipped: 0 };
}
