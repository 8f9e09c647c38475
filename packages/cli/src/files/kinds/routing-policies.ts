import {
  createRoutingPolicy,
  listRoutingPolicies,
  Name,
  type RoutingPolicy,
  removeRoutingPolicy,
  updateRoutingPolicy,
} from '@fanion/contract';
import { z } from 'zod';
import { differences } from '../differences.ts';
import { documentOf, problemAt, type Source } from '../documents.ts';
import { type Context, changedMeanwhile, type Kind, NotDone, type Step } from '../kind.ts';
import { FileMatchers, matcherText } from '../matchers.ts';

const { group_by, group_wait, group_interval, repeat_interval, mute, active } = createRoutingPolicy.body.shape;
/** Null: as the parent. */
const Settings = {
  channels: z.array(Name).max(20).nullable().default(null),
  group_by,
  group_wait,
  group_interval,
  repeat_interval,
  mute,
  active,
};
const SettingsObject = z.strictObject(Settings);
const NodeFields = z.strictObject({
  name: Name,
  matchers: FileMatchers.min(1),
  continue: z.boolean().default(false),
  ...Settings,
});
interface RoutingNode extends z.output<typeof NodeFields> {
  readonly policies: readonly RoutingNode[];
}
const Node: z.ZodType<RoutingNode> = NodeFields.extend({ policies: z.array(z.lazy(() => Node)).default([]) });
/** The tree of routing policies, from its root, in one file: their order decides. */
export const RoutingDocument = z.strictObject({ ...Settings, policies: z.array(Node).default([]) });
export type RoutingDocument = z.output<typeof RoutingDocument>;
type RemotePolicy = z.output<typeof RoutingPolicy>;

const folder = 'routing-policies';
const noun = 'routing policy';
/** The server refuses deeper trees; this bounds the work before it is asked. */
const maxDepth = 50;

export const routingPolicies: Kind = {
  folder,
  noun,

  async read(context) {
    const all = await readPolicies(context);
    const nodeOf = (policy: RemotePolicy): object => ({
      name: policy.name,
      matchers: policy.matchers.map(matcherText),
      ...(policy.continue && { continue: true }),
      ...settingsFile(policy, context),
      ...childrenOf(policy),
    });
    const childrenOf = ({ id }: RemotePolicy) => {
      const children = all.filter(({ parent }) => parent === id).sort((a, b) => a.position - b.position);
      return children.length === 0 ? {} : { policies: children.map(nodeOf) };
    };
    const root = all.find(({ parent }) => parent === null);
    if (root === undefined) return [];
    return [{ name: 'root', content: { ...settingsFile(root, context), ...childrenOf(root) } }];
  },

  async plan(sources, context, { prune }) {
    const problems: string[] = [];
    const [first, second] = sources;
    if (first === undefined) return { steps: [], removals: [], problems, unnamed: 0 };
    if (second !== undefined) problems.push(problemAt(second, [], `the tree of policies is already in ${first.where}`));
    const document =
      depthOf(first.content) > maxDepth ? tooDeep(first, problems) : documentOf(first, RoutingDocument, problems);
    if (document === undefined) return { steps: [], removals: [], problems, unnamed: 0 };
    problems.push(...unknownChannels(first, document, context));
    const all = await readPolicies(context);
    const root = all.find(({ parent }) => parent === null);
    if (root === undefined) return { steps: [], removals: [], problems, unnamed: 0 };
    const tree = new TreeComparison(all, context, prune);
    tree.compareRoot(document, root);
    if (!prune) return { steps: tree.steps, removals: [], problems, unnamed: tree.left.length };
    const removals = tree.left.map(
      (gone): Step => ({
        title: `- ${noun} ${gone.name}`,
        lines: [],
        async run() {
          const now = (await readPolicies(context)).find(({ id }) => id === gone.id);
          if (now?.version !== gone.version) throw changedMeanwhile();
          const { client, scope } = context.connection;
          await client.call(removeRoutingPolicy, { params: { ws: scope.ws, id: gone.id } });
        },
      }),
    );
    return { steps: tree.steps, removals, problems, unnamed: 0 };
  },
};

async function readPolicies({ connection: { client, scope } }: Context): Promise<RemotePolicy[]> {
  return (await client.call(listRoutingPolicies, { params: { ws: scope.ws } })).data;
}

/** The settings of a policy, with names of channels instead of ids. */
function settingsOf(policy: RemotePolicy, { channels }: Context): z.output<typeof SettingsObject> {
  return SettingsObject.parse({
    channels: policy.channels?.map((id) => channels.nameOf(id)) ?? null,
    group_by: policy.group_by,
    group_wait: policy.group_wait,
    group_interval: policy.group_interval,
    repeat_interval: policy.repeat_interval,
    mute: policy.mute,
    active: policy.active,
  });
}

/** Null says "as the parent" for most; no channels and no labels to group by are something else. */
function settingsFile(policy: RemotePolicy, context: Context): object {
  const { mute, active, ...others } = settingsOf(policy, context);
  return {
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
    ...(mute.length > 0 && { mute }),
    ...(active.length > 0 && { active }),
  };
}

function depthOf(content: unknown, depth = 0): number {
  if (depth > maxDepth || typeof content !== 'object' || content === null || !('policies' in content)) return depth;
  const { policies } = content;
  return Array.isArray(policies) ? Math.max(depth, ...policies.map((policy) => depthOf(policy, depth + 1))) : depth;
}

function tooDeep(source: Source, problems: string[]): undefined {
  problems.push(problemAt(source, ['policies'], `policies are nested more than ${maxDepth} levels deep`));
}

interface Tree {
  readonly channels: readonly string[] | null;
  readonly policies: readonly Tree[];
}

function unknownChannels(source: Source, document: Tree, { channels }: Context): string[] {
  const visit = (node: Tree, path: readonly (string | number)[]): string[] => [
    ...(node.channels ?? []).flatMap((name, i) =>
      channels.has(name) ? [] : [problemAt(source, [...path, 'channels', i], `no channel is called ${name}`)],
    ),
    ...node.policies.flatMap((child, i) => visit(child, [...path, 'policies', i])),
  ];
  return visit(document, []);
}

/** Where a policy is, or will be when it has been created. */
interface Place {
  id: string | undefined;
}

/**
 * The steps from the server's tree to that of the file. Siblings of one name are matched in their order. Policies that the
 * file does not name stay, behind their siblings, so that they take no alerts from those.
 */
class TreeComparison {
  readonly steps: Step[] = [];
  readonly left: RemotePolicy[] = [];
  readonly #all: readonly RemotePolicy[];
  readonly #context: Context;
  readonly #prune: boolean;

  constructor(all: readonly RemotePolicy[], context: Context, prune: boolean) {
    this.#all = all;
    this.#context = context;
    this.#prune = prune;
  }

  compareRoot(document: RoutingDocument, root: RemotePolicy): void {
    const lines = differences(settingsOf(root, this.#context), SettingsObject.parse(without(document)));
    if (lines.length > 0)
      this.steps.push({
        title: `~ ${noun} ${root.name}`,
        lines,
        run: () => this.#update(root, { ...without(document), channels: this.#idsOf(document.channels) }),
      });
    this.#compareChildren(document.policies, root, { id: root.id });
  }

  #compareChildren(nodes: readonly RoutingNode[], parent: RemotePolicy | undefined, place: Place): void {
    const free = this.#all.filter((policy) => parent !== undefined && policy.parent === parent.id);
    free.sort((a, b) => a.position - b.position);
    const pairs = nodes.map((node) => {
      const at = free.findIndex(({ name }) => name === node.name);
      return { node, before: at < 0 ? undefined : free.splice(at, 1)[0] };
    });
    const positions = positionsOf([
      ...pairs.map(({ before }) => before?.position),
      ...free.map(({ position }) => position),
    ]);
    for (const [i, { node, before }] of pairs.entries()) this.#compareNode(node, before, positions[i] ?? i, place);
    for (const [i, policy] of free.entries()) {
      const position = positions[pairs.length + i] ?? policy.position;
      if (!this.#prune && position !== policy.position)
        this.steps.push({
          title: `~ ${noun} ${policy.name}`,
          lines: [`position: ${policy.position} → ${position}, behind the policies of the file`],
          run: () => this.#update(policy, { position }),
        });
      this.#leave(policy);
    }
  }

  /** Children first: a policy with children cannot be removed. */
  #leave(policy: RemotePolicy): void {
    for (const child of this.#all) if (child.parent === policy.id) this.#leave(child);
    this.left.push(policy);
  }

  #compareNode(node: RoutingNode, before: RemotePolicy | undefined, position: number, parent: Place): void {
    const { policies, ...fields } = node;
    const place: Place = { id: before?.id };
    if (before === undefined) this.steps.push(this.#creation(fields, position, parent, place));
    else {
      const { name, matchers } = before;
      const now = { name, matchers, continue: before.continue, ...settingsOf(before, this.#context) };
      const lines = differences({ ...now, position: before.position }, { ...fields, position });
      if (lines.length > 0)
        this.steps.push({
          title: `~ ${noun} ${node.name}`,
          lines,
          run: () => this.#update(before, { ...fields, channels: this.#idsOf(node.channels), position }),
        });
    }
    this.#compareChildren(policies, before, place);
  }

  /** @param place gets the id of the created policy */
  #creation(fields: Omit<RoutingNode, 'policies'>, position: number, parent: Place, place: Place): Step {
    return {
      title: `+ ${noun} ${fields.name}`,
      lines: [],
      run: async () => {
        if (parent.id === undefined) throw new NotDone('the policy above it was not created');
        const { client, scope } = this.#context.connection;
        const body = { ...fields, channels: this.#idsOf(fields.channels), parent: parent.id, position };
        place.id = (await client.call(createRoutingPolicy, { params: { ws: scope.ws }, body })).data.id;
      },
    };
  }

  async #update({ id, version }: RemotePolicy, patch: z.input<typeof updateRoutingPolicy.body>): Promise<void> {
    const { client, scope } = this.#context.connection;
    await client.call(updateRoutingPolicy, { params: { ws: scope.ws, id }, body: { ...patch, version } });
  }

  #idsOf(names: readonly string[] | null): string[] | null {
    return names?.map((name) => this.#idOf(name)) ?? null;
  }

  #idOf(name: string): string {
    const id = this.#context.channels.idOf(name);
    if (id === undefined) throw new NotDone(`no channel is called ${name}`);
    return id;
  }
}

function without({ policies: _, ...settings }: RoutingDocument) {
  return settings;
}

/**
 * The positions of siblings in the wanted order. Those that rise already stay, and new ones at the end come behind them.
 *
 * @param current undefined for a new policy
 */
export function positionsOf(current: readonly (number | undefined)[]): number[] {
  const firstNew = current.indexOf(undefined);
  const known = firstNew < 0 ? current : current.slice(0, firstNew);
  const isRising = known.every((position, i) => i === 0 || (position ?? 0) > (known[i - 1] ?? 0));
  const areLast = firstNew < 0 || current.slice(firstNew).every((position) => position === undefined);
  if (!isRising || !areLast) return current.map((_, i) => i);
  const next = (known.at(-1) ?? -1) + 1;
  return current.map((position, i) => position ?? next + i - known.length);
}
