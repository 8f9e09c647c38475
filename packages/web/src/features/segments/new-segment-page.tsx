import { createSegment } from '@fanion/contract';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { keyFromName } from '../../app/key-from-name.ts';
import { NameAndKey } from '../../app/name-and-key.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { useForm } from '../../ui/form.ts';
import { countOf } from '../../ui/format/index.ts';
import { ButtonLink } from '../../ui/link.tsx';
import { Button, Group, Stack, Textarea } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { readKeys } from './key-changes.ts';
import { refreshSegments } from './queries.ts';

/** Creates a segment; its rules are written on its page. */
export function NewSegmentPage() {
  const scope = useScope();
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: '', key: '', description: '', included: '' },
    submit: async ({ name, key: typed, description, included }) => {
      const key = typed.trim() || keyFromName(name);
      await call(createSegment, {
        params: { ws: scope.ws, p: scope.project },
        body: { key, name: name.trim() || key, description, included: readKeys(included) },
      });
      await refreshSegments();
      toastDone(`${key} is created`);
      await navigate({ to: '/w/$ws/$project/segments/$key', params: { ...scope, key } });
    },
  });
  const keys = readKeys(form.values.included);
  return (
    <Page title="Create segment" crumbs={<ScopeLink to="/w/$ws/$project/segments">Segments</ScopeLink>} narrow>
      <Panel>
        <form onSubmit={form.onSubmit}>
          <Stack gap="lg">
            <NameAndKey form={form} example="Beta testers" purpose="Flag rules use it to refer to the segment" />
            <Textarea
              label="Description"
              placeholder="Who is in it, and who maintains it"
              {...form.field('description')}
            />
            <Textarea
              label="Included keys"
              description={
                keys.length === 0
                  ? 'Targeting keys, one per line. Rules can be added afterwards.'
                  : countOf(keys.length, 'key')
              }
              placeholder={'user-1\nuser-2'}
              minRows={4}
              maxRows={16}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--f-mono)', fontSize: 12 } }}
              {...form.field('included')}
            />
            <ErrorNotice error={form.error} />
            <Group justify="flex-end" gap="sm">
              <ButtonLink variant="default" to="/w/$ws/$project/segments" params={scope}>
                Cancel
              </ButtonLink>
              <Button type="submit" loading={form.pending}>
                Create segment
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </Page>
  );
}
