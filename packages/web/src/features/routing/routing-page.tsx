import { removeRoutingPolicy, updateRoutingPolicy } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { useCan, useScope } from '../../app/session.ts';
import columns from '../../ui/columns.module.css';
import { AppLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { both, Loaded } from '../../ui/resource/loaded.tsx';
import { Notice } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast.ts';
import { channelsQuery } from '../channels/queries.ts';
import { InhibitionPanel } from './inhibition-panel.tsx';
import { type Editing, PolicyDialog } from './policy-dialog.tsx';
import { movesOf, partsOf, siblingsOf, treeOf } from './policy-tree.ts';
import { PolicyTreeView } from './policy-tree-view.tsx';
import { type Policy, policiesQuery, refreshRouting } from './queries.ts';
import classes from './routing.module.css';
import { useWhere, WhereTo } from './where-to.tsx';

/** Who is told of which alert: the tree of policies, a place to try labels, and the inhibition rules. */
export function RoutingPage() {
  const { ws } = useScope();
  const policies = useQuery(policiesQuery(ws));
  const channels = useQuery(channelsQuery(ws));
  return (
    <Page title="Routing">
      <Loaded query={both(policies, channels)} label="Loading the routing policies">
        {([rules, targets]) => <Routing policies={rules} channels={targets} />}
      </Loaded>
    </Page>
  );
}

function Routing({
  policies,
  channels,
}: {
  policies: readonly Policy[];
  channels: Parameters<typeof WhereTo>[0]['channels'];
}) {
  const scope = useScope();
  const canWrite = useCan('alerts:write');
  const [editing, setEditing] = useState<Editing | null>(null);
  const where = useWhere();
  const actions = usePolicyActions(policies, setEditing);
  const root = treeOf(policies);
  const tellsNobody = policies.every(({ effective }) => effective.channels.length === 0);
  return (
    <>
      {tellsNobody && (
        <Notice kind="warning">
          Nobody is notified of alerts, because no policy has a channel.{' '}
          {channels.length === 0 ? (
            <>
              <AppLink className={classes.link} to="/w/$ws/$project/channels" params={scope}>
                Create a channel
              </AppLink>
              , then choose it in a policy.
            </>
          ) : (
            'Choose one in the first policy.'
          )}
        </Notice>
      )}
      <div className={`${columns.columns} ${classes.policies}`}>
        {root && (
          <PolicyTreeView
            root={root}
            channels={channels}
            partOf={where.matches && partsOf(where.matches)}
            actions={canWrite ? actions : undefined}
          />
        )}
        <WhereTo where={where} channels={channels} />
      </div>
      <InhibitionPanel />
      <PolicyDialog editing={editing} policies={policies} channels={channels} onClose={() => setEditing(null)} />
    </>
  );
}

function usePolicyActions(policies: readonly Policy[], setEditing: (editing: Editing) => void) {
  const { ws } = useScope();
  const deleteIt = useDelete();
  return {
    onAdd: (below: Policy) => setEditing({ below }),
    onEdit: (policy: Policy) => setEditing({ policy }),
    async onMove(policy: Policy, by: -1 | 1) {
      try {
        for (const { policy: moved, position } of movesOf(siblingsOf(policies, policy.parent), policy.id, by))
          await call(updateRoutingPolicy, {
            params: { ws, id: moved.id },
            body: { position, version: moved.version },
          });
      } catch (error) {
        toastError(error);
      }
      await refreshRouting();
    },
    onRemove: ({ id, name }: Policy) =>
      deleteIt({
        name: `the policy ${name}`,
        body: 'Alerts that it matched go to the next policy that matches them, or to its parent.',
        action: 'Delete policy',
        run: () => call(removeRoutingPolicy, { params: { ws, id } }),
        refresh: refreshRouting,
      }),
  };
}
