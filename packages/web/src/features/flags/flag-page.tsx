import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { ItemPage } from '../../app/item-page.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { environmentsQuery, useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { Panel } from '../../ui/page.tsx';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { useRoving } from '../../ui/roving.ts';
import { EmptyState, Loading, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { GuardedTab } from '../judging/guarded-tab.tsx';
import { RolloutTab } from '../judging/rollout-tab.tsx';
import { ReleasePanel } from '../releases/release-panel.tsx';
import { ruleNames } from './difference-words.ts';
import { FlagActions } from './flag-actions.tsx';
import { FlagUse } from './flag-use.tsx';
import classes from './flags.module.css';
import { HistoryTab } from './history-tab.tsx';
import { metadataText } from './metadata-lines.ts';
import { PrerequisitesTab } from './prerequisites-tab.tsx';
import { flagQuery, targetingQuery } from './queries.ts';
import { staleness } from './staleness.ts';
import { StateDot, stateText } from './state-dot.tsx';
import { TargetingForm } from './targeting-form.tsx';
import type { Environment, Flag } from './types.ts';
import { valueText } from './variant-values.ts';

/** One flag: what it serves to whom in each environment, and why. */
export function FlagPage() {
  const scope = useScope();
  const { key } = useParams({ from: '/w/$ws/$project/flags/$key' });
  const flag = useQuery(flagQuery(scope.ws, scope.project, key));
  const environments = useQuery(environmentsQuery(scope.ws, scope.project));
  return (
    <ItemPage
      query={flag}
      itemKey={key}
      what="flag"
      crumbs={<ScopeLink to="/w/$ws/$project/flags">Flags</ScopeLink>}
      actions={(item) => <FlagActions flag={item} />}
    >
      {(item) => (environments.data ? <FlagView flag={item} environments={environments.data} /> : <Loading />)}
    </ItemPage>
  );
}

const VIEWS = [
  { id: undefined, label: 'Targeting' },
  { id: 'rollout', label: 'Rollout' },
  { id: 'guarded', label: 'Guarded release' },
  { id: 'prerequisites', label: 'Prerequisites' },
  { id: 'history', label: 'History' },
] as const;

function FlagView({ flag, environments }: { flag: Flag; environments: readonly Environment[] }) {
  const chosen = useEnvironment();
  const { tab } = useSearch({ from: '/w/$ws/$project/flags/$key' });
  const navigate = useNavigate();
  const environment = environments.find(({ key }) => key === chosen) ?? environments[0];
  if (!environment)
    return <EmptyState title="No environment">This project has no environment to serve the flag in.</EmptyState>;
  return (
    <>
      <div className={classes.bar}>
        <TabLine
          label="Environments"
          chosen={environment.key}
          tabs={environments.map(({ key, name }) => ({
            key,
            onChoose: () => void navigate({ to: '.', search: (old) => ({ ...old, env: key }) }),
            content: (
              <EnvironmentName state={flag.environments.find((state) => state.environment === key)} name={name} />
            ),
          }))}
        />
        <TabLine
          label="Views"
          chosen={VIEWS.find(({ id }) => id === tab)?.label ?? VIEWS[0].label}
          tabs={VIEWS.map(({ id, label }) => ({
            key: label,
            onChoose: () => void navigate({ to: '.', search: (old) => ({ ...old, tab: id }) }),
            content: label,
          }))}
        />
      </div>
      <ReleasePanel key={environment.key} flag={flag} environment={environment} />
      {tab === 'history' ? (
        <EnvironmentHistory flag={flag} environment={environment} environments={environments} />
      ) : tab === 'rollout' ? (
        <RolloutTab key={environment.key} flag={flag.key} environment={environment.key} />
      ) : tab === 'guarded' ? (
        <GuardedTab key={environment.key} flag={flag} environment={environment} />
      ) : tab === 'prerequisites' ? (
        <PrerequisitesTab flag={flag} />
      ) : (
        <EnvironmentTargeting key={environment.key} flag={flag} environment={environment} />
      )}
    </>
  );
}

function TabLine({
  label,
  chosen,
  tabs,
}: {
  label: string;
  /** The key of the open tab. */
  chosen: string;
  tabs: readonly { readonly key: string; readonly content: ReactNode; readonly onChoose: () => void }[];
}) {
  const { group, item } = useRoving(
    tabs.map(({ key }) => key),
    'horizontal',
    chosen,
  );
  return (
    <div className={classes.environments} role="tablist" aria-label={label} {...group}>
      {tabs.map(({ key, content, onChoose }) => (
        <button
          key={key}
          type="button"
          role="tab"
          aria-selected={key === chosen}
          className={classes.environment}
          {...item(key)}
          onClick={onChoose}
        >
          {content}
        </button>
      ))}
    </div>
  );
}

function EnvironmentName({ state, name }: { state: Flag['environments'][number] | undefined; name: string }) {
  if (state === undefined) return name;
  return (
    <>
      <StateDot state={state} label={name} silent />
      {name}
      <span className="visually-hidden">{stateText(state)}</span>
    </>
  );
}

function EnvironmentHistory({
  flag,
  environment,
  environments,
}: {
  flag: Flag;
  environment: Environment;
  environments: readonly Environment[];
}) {
  const { ws, project } = useScope();
  // Only for rule names: differences name rules by id.
  const { data: targeting } = useQuery(targetingQuery(ws, project, environment.key, flag.key));
  const names = useMemo(() => ruleNames(targeting), [targeting]);
  return (
    <HistoryTab
      key={environment.key}
      flag={flag}
      environment={environment}
      environments={environments}
      ruleNames={names}
    />
  );
}

function EnvironmentTargeting({ flag, environment }: { flag: Flag; environment: Environment }) {
  const scope = useScope();
  const targeting = useQuery(targetingQuery(scope.ws, scope.project, environment.key, flag.key));
  if (targeting.data === undefined) return <Unloaded query={targeting} />;
  const { holder } = targeting.data;
  return (
    <>
      {holder !== null && (
        <Notice kind="info">
          {holder.kind === 'experiment'
            ? 'An experiment serves everybody else instead of what is set here.'
            : 'A guarded release serves everybody else instead of what is set here. Saving a change here ends it.'}
        </Notice>
      )}
      <TargetingForm
        flag={flag}
        environment={environment}
        targeting={targeting.data}
        side={<About flag={flag} environment={environment} />}
      />
    </>
  );
}

function About({ flag, environment }: { flag: Flag; environment: Environment }) {
  const stale = staleness(flag, Date.now());
  return (
    <>
      {flag.archived && <Notice kind="warning">This flag is archived: it is no longer evaluated.</Notice>}
      {stale !== null && (
        <Notice kind="warning">
          This flag is stale: it is temporary, and {stale}. Remove it from the code, then archive it.
        </Notice>
      )}
      <Panel title="Variants">
        <table className={classes.variants} aria-label="Variants">
          <tbody>
            {flag.variants.map((variant) => (
              <tr key={variant.key}>
                <td>{variant.key}</td>
                <td>
                  <code className={`${classes.value} truncate`} title={valueText(variant.value)}>
                    {valueText(variant.value)}
                  </code>
                </td>
                <td className="dim">{variant.key === flag.off_variant && 'off'}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {flag.off_variant === null && <p className="dim">While it is off, programs use their own default.</p>}
      </Panel>
      {!flag.archived && <FlagUse flag={flag} environment={environment} />}
      <Panel title="About">
        {flag.description === '' ? (
          <p className="dim">No description.</p>
        ) : (
          <p style={{ whiteSpace: 'pre-wrap' }}>{flag.description}</p>
        )}
        <p className="dim" style={{ marginTop: 8 }}>
          {flag.kind}, {flag.temporary ? 'temporary' : 'permanent'}
          {flag.client_visible ? '' : ', hidden from client keys'}, created <Timestamp value={flag.created_at} ago />
          {flag.created_by && ` by ${flag.created_by}`}
        </p>
        {Object.keys(flag.metadata).length > 0 && (
          <p className="dim" style={{ whiteSpace: 'pre-wrap' }}>
            {metadataText(flag.metadata)}
          </p>
        )}
        {flag.tags.length > 0 && (
          <div className={classes.tags} style={{ marginTop: 8 }}>
            {flag.tags.map((tag) => (
              <span key={tag} className={classes.tag}>
                {tag}
              </span>
            ))}
          </div>
        )}
      </Panel>
    </>
  );
}
