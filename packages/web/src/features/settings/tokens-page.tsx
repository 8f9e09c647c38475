import { createToken, isPermission, listTokens } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { inWorkspace } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';
import { environmentsQuery, NO_PROJECT, projectsQuery, useCan, useScope, useWorkspace } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Group, Select, TextInput } from '../../ui/mantine.ts';
import { Listed } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CreateSecret } from './create-secret.tsx';
import { PermissionPicker } from './permission-picker.tsx';
import { tokensQuery } from './queries.ts';
import { SectionHead } from './section.tsx';
import { TokenTable } from './token-table.tsx';

/** API tokens, which programs use to send telemetry and to call the API. */
export function TokensPage() {
  const { ws } = useScope();
  const canWrite = useCan('tokens:write');
  const tokens = useQuery(tokensQuery(ws, 'api'));
  return (
    <>
      <SectionHead
        action={
          canWrite && (
            <CreateSecret what="API token" label="token" size={720}>
              {(onClose, onCreated) => <TokenForm onClose={onClose} onCreated={onCreated} />}
            </CreateSecret>
          )
        }
      >
        Programs send <code>Authorization: Bearer …</code> with one of these. A token never allows more than its creator
        may.
      </SectionHead>
      <Listed
        query={tokens}
        empty={
          <EmptyState title="No API tokens yet">
            Create one to send telemetry with an OpenTelemetry SDK, or to call the API.
          </EmptyState>
        }
      >
        {(rows) => (
          <TokenTable
            label="API tokens"
            noun="token"
            rows={rows}
            columns={[
              {
                id: 'scope',
                header: 'Scope',
                width: 170,
                cell: (token) =>
                  [token.project, token.environment].filter(Boolean).join(' / ') || (
                    <span className="dim">workspace</span>
                  ),
              },
              {
                id: 'permissions',
                header: 'Permissions',
                width: 190,
                cell: (token) => (
                  <span className="mono" title={token.permissions.join('\n')}>
                    {token.permissions.slice(0, 1).join('')}
                    {token.permissions.length > 1 && ` +${token.permissions.length - 1}`}
                  </span>
                ),
              },
              { id: 'expires', header: 'Expires', width: 100, ago: (token) => token.expires_at, never: 'never' },
            ]}
          />
        )}
      </Listed>
    </>
  );
}

const ANY = '*';
const LIFETIMES = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

function orAny(any: string, all: readonly { readonly key: string; readonly name: string }[]) {
  return [{ value: ANY, label: any }, ...all.map(({ key, name }) => ({ value: key, label: name }))];
}

function TokenForm({ onClose, onCreated }: { onClose: () => void; onCreated: (token: string) => void }) {
  const { ws, project } = useScope();
  const { permissions: mine } = useWorkspace();
  const { data: projects = [] } = useQuery(projectsQuery(ws));
  const form = useForm({
    initial: {
      name: '',
      project: project === NO_PROJECT ? ANY : project,
      environment: ANY,
      days: '',
      permissions: ['telemetry:ingest'],
    },
    submit: async ({ name, project, environment, days, permissions }) => {
      const { data } = await call(createToken, {
        query: inWorkspace(ws),
        body: {
          name,
          permissions: permissions.filter(isPermission),
          ...(project !== ANY && { project }),
          ...(project !== ANY && environment !== ANY && { environment }),
          ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
        },
      });
      await invalidate(listTokens);
      onCreated(data.token);
    },
  });
  const { data: environments = [] } = useQuery({
    ...environmentsQuery(ws, form.values.project),
    enabled: form.values.project !== ANY,
  });
  return (
    <DialogForm form={form} action="Create token" disabled={form.values.permissions.length === 0} onCancel={onClose}>
      <TextInput
        label="Name"
        placeholder="What uses it: checkout in production"
        required
        data-autofocus
        {...form.field('name')}
      />
      <Group grow gap="sm">
        <Select label="Project" data={orAny('All projects', projects)} {...form.choice('project')} />
        <Select
          label="Environment"
          disabled={form.values.project === ANY}
          data={orAny('All environments', environments)}
          {...form.choice('environment')}
        />
        <Select label="Expires" data={LIFETIMES} {...form.choice('days')} />
      </Group>
      <PermissionPicker
        value={form.values.permissions}
        onChange={(permissions) => form.set('permissions', permissions)}
        among={mine}
      />
    </DialogForm>
  );
}
