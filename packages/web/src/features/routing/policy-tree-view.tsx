import { IconArrowDown, IconArrowUp, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { MatcherList } from '../../alerting/matcher-list.tsx';
import { ActionIcon } from '../../ui/mantine.ts';
import type { Channel } from '../channels/queries.ts';
import { intervalText } from './interval-draft.ts';
import { EVERY_LABEL } from './policy-draft.ts';
import type { Part, PolicyNode } from './policy-tree.ts';
import type { Policy } from './queries.ts';
import classes from './routing.module.css';

export interface PolicyActions {
  readonly onAdd: (below: Policy) => void;
  readonly onEdit: (policy: Policy) => void;
  readonly onMove: (policy: Policy, by: -1 | 1) => void;
  readonly onRemove: (policy: Policy) => void;
}

interface Props {
  readonly channels: readonly Channel[];
  /** Lights the path of the labels that are tried; undefined: none are. */
  readonly partOf: ((id: string) => Part) | undefined;
  /** Undefined: the policies can only be looked at. */
  readonly actions: PolicyActions | undefined;
}

/** The policies as nested lists, in the order in which they are asked. */
export function PolicyTreeView({ root, ...props }: Props & { root: PolicyNode }) {
  return (
    <ul className={classes.tree} aria-label="Routing policies">
      <Node node={root} isFirst isLast {...props} />
    </ul>
  );
}

function Node({ node, isFirst, isLast, ...props }: Props & { node: PolicyNode; isFirst: boolean; isLast: boolean }) {
  const { policy, children } = node;
  const part = props.partOf?.(policy.id);
  return (
    <li>
      <article className={classes.policy} aria-label={policy.name} data-part={part}>
        <div className={classes.head}>
          <b>{policy.name}</b>
          {policy.parent === null ? (
            <span className="dim">all alerts</span>
          ) : (
            <MatcherList matchers={policy.matchers} />
          )}
          {part === 'end' && <span className={classes.here}>goes here</span>}
          {props.actions && (
            <Actions
              policy={policy}
              actions={props.actions}
              isFirst={isFirst}
              isLast={isLast}
              hasChildren={children.length > 0}
            />
          )}
        </div>
        <Facts policy={policy} channels={props.channels} />
      </article>
      {children.length > 0 && (
        <ul className={classes.tree}>
          {children.map((child, index) => (
            <Node
              key={child.policy.id}
              node={child}
              isFirst={index === 0}
              isLast={index === children.length - 1}
              {...props}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

function Facts({ policy, channels }: { policy: Policy; channels: readonly Channel[] }) {
  const { effective, mute, active } = policy;
  const own = policy.channels !== null || policy.parent === null;
  return (
    <dl className={classes.facts}>
      <dt>Notifies</dt>
      <dd data-nobody={effective.channels.length === 0 || undefined}>
        {channelNames(effective.channels, channels)}
        {!own && <span className="dim"> as its parent</span>}
      </dd>
      <dt>Groups</dt>
      <dd>
        {groupText(effective.group_by)}
        <span className="dim">
          {' '}
          after {effective.group_wait}, changes every {effective.group_interval}, again every{' '}
          {effective.repeat_interval}
        </span>
      </dd>
      {policy.continue && (
        <>
          <dt>Then</dt>
          <dd>continues to the next siblings</dd>
        </>
      )}
      {mute.length > 0 && (
        <>
          <dt>Muted</dt>
          <dd>{mute.map(intervalText).join('; ')}</dd>
        </>
      )}
      {active.length > 0 && (
        <>
          <dt>Active</dt>
          <dd>only {active.map(intervalText).join('; ')}</dd>
        </>
      )}
    </dl>
  );
}

export function channelNames(ids: readonly string[], channels: readonly Channel[]): string {
  if (ids.length === 0) return 'nobody';
  return ids.map((id) => channels.find((channel) => channel.id === id)?.name ?? 'an unknown channel').join(', ');
}

function groupText(groupBy: readonly string[]): string {
  if (groupBy.length === 0) return 'all alerts together';
  return groupBy.includes(EVERY_LABEL) ? 'each alert on its own' : `by ${groupBy.join(', ')}`;
}

function Actions({
  policy,
  actions: { onAdd, onEdit, onMove, onRemove },
  isFirst,
  isLast,
  hasChildren,
}: {
  policy: Policy;
  actions: PolicyActions;
  isFirst: boolean;
  isLast: boolean;
  hasChildren: boolean;
}) {
  const { name } = policy;
  const icon = { size: 15, stroke: 1.6 } as const;
  const isRoot = policy.parent === null;
  return (
    <span className={classes.actions}>
      {!isRoot && (
        <>
          <ActionIcon aria-label={`Move ${name} up`} disabled={isFirst} onClick={() => onMove(policy, -1)}>
            <IconArrowUp {...icon} />
          </ActionIcon>
          <ActionIcon aria-label={`Move ${name} down`} disabled={isLast} onClick={() => onMove(policy, 1)}>
            <IconArrowDown {...icon} />
          </ActionIcon>
        </>
      )}
      <ActionIcon aria-label={`Add a policy below ${name}`} onClick={() => onAdd(policy)}>
        <IconPlus {...icon} />
      </ActionIcon>
      <ActionIcon aria-label={`Edit ${name}`} onClick={() => onEdit(policy)}>
        <IconPencil {...icon} />
      </ActionIcon>
      {!isRoot && (
        <ActionIcon
          aria-label={`Delete ${name}`}
          disabled={hasChildren}
          title={hasChildren ? 'Delete the policies below it first' : undefined}
          onClick={() => onRemove(policy)}
        >
          <IconTrash {...icon} />
        </ActionIcon>
      )}
    </span>
  );
}
