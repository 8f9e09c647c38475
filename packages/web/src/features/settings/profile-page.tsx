import { changePassword, updateMe } from '@fanion/contract';
import { call } from '../../api/client.ts';
import { queryClient } from '../../app/query-client.ts';
import { meQuery, useMe } from '../../app/session.ts';
import { useForm } from '../../ui/form.ts';
import {
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  TextInput,
  useMantineColorScheme,
} from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { OwnInvitations } from './own-invitations.tsx';
import classes from './settings.module.css';

/** The user's account: name, password, colors. */
export function ProfilePage() {
  return (
    <>
      <OwnInvitations />
      <Panel title="Profile">
        <NameForm />
      </Panel>
      <Panel title="Password">
        <PasswordForm />
      </Panel>
      <Panel title="Colors">
        <SchemeChoice />
      </Panel>
    </>
  );
}

function NameForm() {
  const { user } = useMe();
  const form = useForm({
    initial: { name: user.name },
    submit: async (values) => {
      await call(updateMe, { body: values });
      await queryClient.refetchQueries({ queryKey: meQuery.queryKey });
      toastDone('Your name is saved');
    },
  });
  return (
    <form onSubmit={form.onSubmit} className={classes.form}>
      <Stack gap="md">
        <TextInput label="Name" required autoComplete="name" {...form.field('name')} />
        <TextInput label="E-mail" value={user.email} readOnly />
        <ErrorNotice error={form.error} />
        <Group>
          <Button type="submit" loading={form.pending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PasswordForm() {
  const { user } = useMe();
  const form = useForm({
    initial: { current_password: '', new_password: '' },
    submit: async ({ current_password, new_password }) => {
      await call(changePassword, { body: { new_password, ...(user.has_password && { current_password }) } });
      form.set('current_password', '');
      form.set('new_password', '');
      await queryClient.refetchQueries({ queryKey: meQuery.queryKey });
      toastDone('Your password was changed. All other sessions were signed out.');
    },
  });
  return (
    <form onSubmit={form.onSubmit} className={classes.form}>
      <Stack gap="md">
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        {user.has_password && (
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...form.field('current_password')}
          />
        )}
        <PasswordInput
          label="New password"
          description="At least 8 characters; longer is stronger."
          autoComplete="new-password"
          required
          minLength={8}
          {...form.field('new_password')}
        />
        <ErrorNotice error={form.error} />
        <Group>
          <Button type="submit" loading={form.pending}>
            {user.has_password ? 'Change password' : 'Set password'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      size="sm"
      aria-label="Colors"
      value={colorScheme}
      onChange={(value) => setColorScheme(value === 'dark' || value === 'light' ? value : 'auto')}
      data={[
        { value: 'auto', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ]}
    />
  );
}
