import { createFlagKey, listTokens } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { invalidate } from '../../app/query-client.ts';
import { environmentsQuery, NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { useForm } from '../../ui/form.ts';
import { Checkbox, Select, TagsInput, TextInput } from '../../ui/mantine.ts';
import { Listed } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CreateSecret, type NamedSecret } from './create-secret.tsx';
import { tokensQuery } from './queries.ts';
import { SectionHead } from './section.tsx';
import { TokenTable } from './token-table.tsx';

/** SDK keys for flag SDKs and OFREP clients, each for one environment. */
export function SdkKeysPage() {
  const { ws, project } = useScope();
  const canWrite = useCan('tokens:write') && project !== NO_PROJECT;
  const keys = useQuery(tokensQuery(ws, 'sdk'));
  return (
    <>
      <SectionHead
        action={
          canWrite && (
            <CreateSecret what="SDK key" label="SDK key">
              {(onClose, onCreated) => <SdkKeyForm onClose={onClose} onCreated={onCreated} />}
            </CreateSecret>
          )
        }
      >
        An SDK key evaluates the flags of one project and environment and has no other access.
      </SectionHead>
      <Listed
        query={keys}
        empty={
          <EmptyState title="No SDK keys yet">
            Create one to read flags through OpenFeature’s OFREP provider or the SDK routes.
          </EmptyState>
        }
      >
        {(rows) => (
          <TokenTable
            label="SDK keys"
            noun="key"
            rows={rows}
            columns={[
              {
                id: 'scope',
                header: 'Project / environment',
                width: 200,
                cell: (key) => `${key.project} / ${key.environment}`,
              },
              {
                id: 'kind',
                header: 'For',
                width: 150,
                cell: (key) => (key.growthbook_encryption ? 'server, encrypted' : (key.sdk_kind ?? 'server')),
              },
            ]}
          />
        )}
      </Listed>
    </>
  );
}

const NEW_KEY = {
  name: '',
  environment: '',
  kind: 'server' as 'server' | 'client',
  allowed_origins: [] as string[],
  growthbook_encryption: false,
};
const USES = [
  { value: 'server', label: 'Servers: evaluate, and download the rules' },
  { value: 'client', label: 'Browsers and apps: evaluate only' },
];

function SdkKeyForm({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (key: string, second?: NamedSecret) => void;
}) {
  const { ws, project } = useScope();
  const { data: environments = [] } = useQuery(environmentsQuery(ws, project));
  const form = useForm({
    initial: NEW_KEY,
    submit: async ({ name, environment, kind, allowed_origins, growthbook_encryption }) => {
      const { data } = await call(createFlagKey, {
        params: { ws, p: project },
        body: {
          environment: environment || (environments[0]?.key ?? ''),
          kind,
          ...(name.trim() !== '' && { name }),
          ...(kind === 'client' ? { allowed_origins } : { growthbook_encryption }),
        },
      });
      await invalidate(listTokens);
      const secret = data.growthbook_decryption_key;
      onCreated(data.key, secret === null ? undefined : { label: 'decryption key', secret });
    },
  });
  return (
    <DialogForm form={form} action="Create SDK key" onCancel={onClose}>
      <Select
        label="Environment"
        data-autofocus
        value={form.values.environment || (environments[0]?.key ?? null)}
        data={environments.map(({ key, name }) => ({ value: key, label: name }))}
        onChange={(value) => form.set('environment', value ?? '')}
      />
      <TextInput label="Name" placeholder="What uses it: checkout service" {...form.field('name')} />
      <Select label="Used by" data={USES} {...form.choice('kind')} />
      {form.values.kind === 'client' && (
        <TagsInput
          label="Allowed origins"
          description="Web pages that may use it, such as https://shop.example"
          value={form.values.allowed_origins}
          onChange={(origins) => form.set('allowed_origins', origins)}
          error={form.errorOf('allowed_origins')}
        />
      )}
      {form.values.kind === 'server' && (
        <Checkbox
          label="Encrypt features for GrowthBook’s SDKs"
          description="The SDK needs a decryption key, and the SDK key reads rules in no other form"
          {...form.toggle('growthbook_encryption')}
        />
      )}
    </DialogForm>
  );
}
