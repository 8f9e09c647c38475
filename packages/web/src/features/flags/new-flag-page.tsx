import { createFlag } from '@fanion/contract';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { keyFromName } from '../../app/key-from-name.ts';
import { NameAndKey } from '../../app/name-and-key.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { useForm } from '../../ui/form.ts';
import { ButtonLink } from '../../ui/link.tsx';
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { CODE_DEFAULT, variantOf } from './code-default.ts';
import { ClientVisible } from './flag-actions.tsx';
import { refreshFlags } from './queries.ts';
import { initialVariants, type Kind, readVariants, type VariantDraft } from './variant-values.ts';

const KINDS: { value: Kind; label: string }[] = [
  { value: 'boolean', label: 'Boolean' },
  { value: 'string', label: 'String' },
  { value: 'number', label: 'Number' },
  { value: 'json', label: 'JSON' },
];

function useNewFlag() {
  const scope = useScope();
  const navigate = useNavigate();
  return useForm({
    initial: {
      key: '',
      name: '',
      description: '',
      kind: 'boolean' as Kind,
      variants: initialVariants('boolean'),
      off: 'false',
      tags: [] as string[],
      temporary: true,
      client_visible: true,
    },
    submit: async (values) => {
      const { variants, errors } = readVariants(values.kind, values.variants);
      if (errors.some((error) => error !== undefined)) return;
      const key = values.key.trim() || keyFromName(values.name);
      await call(createFlag, {
        params: { ws: scope.ws, p: scope.project },
        body: {
          key,
          name: values.name.trim() || key,
          description: values.description,
          kind: values.kind,
          variants,
          off_variant: variantOf(values.off),
          tags: values.tags,
          temporary: values.temporary,
          client_visible: values.client_visible,
        },
      });
      await refreshFlags();
      toastDone(`${key} is created and off everywhere`);
      await navigate({ to: '/w/$ws/$project/flags/$key', params: { ...scope, key } });
    },
  });
}

/** Creates a flag. It is off everywhere until somebody turns it on. */
export function NewFlagPage() {
  const scope = useScope();
  const form = useNewFlag();
  return (
    <Page title="Create flag" crumbs={<ScopeLink to="/w/$ws/$project/flags">Flags</ScopeLink>} narrow>
      <Panel>
        <form onSubmit={form.onSubmit}>
          <Stack gap="lg">
            <NameAndKey form={form} example="New checkout" purpose="Programs use it to read the flag" />
            <Textarea
              label="Description"
              placeholder="What it controls, and when it can be removed"
              {...form.field('description')}
            />
            <KindAndVariants form={form} />
            <TagsInput
              label="Tags"
              placeholder="checkout, team-payments"
              value={form.values.tags}
              onChange={(tags) => form.set('tags', tags)}
              error={form.errorOf('tags')}
            />
            <Checkbox
              label="Temporary"
              description="You plan to remove it when its rollout is done. It is marked as stale when it serves one variant for a long time."
              {...form.toggle('temporary')}
            />
            <ClientVisible
              checked={form.values.client_visible}
              onChange={(visible) => form.set('client_visible', visible)}
            />
            <ErrorNotice error={form.error} />
            <Group justify="flex-end" gap="sm">
              <ButtonLink to="/w/$ws/$project/flags" params={scope} variant="default">
                Cancel
              </ButtonLink>
              <Button type="submit" loading={form.pending}>
                Create flag
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </Page>
  );
}

/** The kind of the values, the variants, and which of them is served while the flag is off. */
function KindAndVariants({ form }: { form: ReturnType<typeof useNewFlag> }) {
  const { kind, variants, off } = form.values;
  const errors = form.tried ? readVariants(kind, variants).errors : [];
  const setKind = (next: Kind) => {
    const fresh = initialVariants(next);
    form.set('kind', next);
    form.set('variants', fresh);
    form.set('off', fresh.at(-1)?.key ?? '');
  };
  return (
    <>
      <div>
        <SegmentedControl
          size="sm"
          aria-label="Kind"
          value={kind}
          onChange={(next) => setKind(next as Kind)}
          data={KINDS}
        />
      </div>
      <VariantsEditor kind={kind} variants={variants} errors={errors} onChange={(next) => form.set('variants', next)} />
      <Select
        label="Served while the flag is off"
        w={240}
        value={off}
        data={[...new Set(variants.map((variant) => variant.key).filter(Boolean)), CODE_DEFAULT]}
        onChange={(next) => form.set('off', next ?? '')}
      />
    </>
  );
}

function VariantsEditor({
  kind,
  variants,
  errors,
  onChange,
}: {
  kind: Kind;
  variants: VariantDraft[];
  errors: readonly (string | undefined)[];
  onChange: (variants: VariantDraft[]) => void;
}) {
  const fixed = kind === 'boolean';
  const edit = (index: number, change: Partial<VariantDraft>) =>
    onChange(variants.map((variant, at) => (at === index ? { ...variant, ...change } : variant)));
  return (
    <Stack gap="xs">
      <div style={{ fontSize: 12, fontWeight: 500 }}>Variants</div>
      {variants.map((variant, index) => (
        <Group key={index.toString()} gap="sm" align="flex-start" wrap="nowrap">
          <TextInput
            aria-label={`Key of variant ${index + 1}`}
            w={200}
            readOnly={fixed}
            value={variant.key}
            error={errors[index]}
            onChange={(event) => edit(index, { key: event.currentTarget.value })}
          />
          <ValueField
            label={`Value of variant ${index + 1}`}
            kind={kind}
            value={variant.text}
            onChange={(text) => edit(index, { text })}
          />
          {!fixed && (
            <ActionIcon
              aria-label={`Remove variant ${index + 1}`}
              disabled={variants.length < 2}
              onClick={() => onChange(variants.filter((_, at) => at !== index))}
            >
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!fixed && (
        <div>
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...variants, { key: '', text: '' }])}
          >
            Add variant
          </Button>
        </div>
      )}
    </Stack>
  );
}

function ValueField({
  label,
  kind,
  value,
  onChange,
}: {
  label: string;
  kind: Kind;
  value: string;
  onChange: (text: string) => void;
}) {
  return kind === 'json' ? (
    <Textarea
      aria-label={label}
      style={{ flex: 1 }}
      minRows={1}
      styles={{ input: { fontFamily: 'var(--f-mono)', fontSize: 12 } }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <TextInput
      aria-label={label}
      style={{ flex: 1 }}
      readOnly={kind === 'boolean'}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
