import { signUp } from '@fanion/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { queryClient } from '../../app/query-client.ts';
import { safeReturnPath } from '../../app/search.ts';
import { useForm } from '../../ui/form.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button, PasswordInput, Stack, TextInput } from '../../ui/mantine.ts';
import { ErrorNotice } from '../../ui/states.tsx';
import { AuthFrame } from './auth-frame.tsx';
import { OidcButtons } from './oidc-buttons.tsx';

export function SignUpPage() {
  const { next } = useSearch({ from: '/sign-up' });
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: '', workspace_name: '', email: '', password: '' },
    submit: async ({ workspace_name, ...account }) => {
      await call(signUp, { body: { ...account, ...(workspace_name.trim() !== '' && { workspace_name }) } });
      queryClient.clear();
      await navigate({ href: safeReturnPath(next), replace: true });
    },
  });
  return (
    <AuthFrame
      title="Create your account"
      lead="You get your own workspace with a project and two environments."
      foot={
        <>
          Already have an account?{' '}
          <AppLink to="/sign-in" search={{ next }}>
            Sign in
          </AppLink>
        </>
      }
    >
      <form onSubmit={form.onSubmit}>
        <Stack gap="md">
          <TextInput label="Your name" autoComplete="name" required autoFocus {...form.field('name')} />
          <TextInput label="E-mail" type="email" autoComplete="username" required {...form.field('email')} />
          <PasswordInput
            label="Password"
            description="At least 8 characters; longer is stronger."
            autoComplete="new-password"
            required
            minLength={8}
            {...form.field('password')}
          />
          <TextInput
            label="Workspace name (optional)"
            placeholder={
              form.values.name.trim() === '' ? 'Your team or company' : `${form.values.name.trim()}’s workspace`
            }
            autoComplete="organization"
            {...form.field('workspace_name')}
          />
          <ErrorNotice error={form.error} />
          <Button type="submit" fullWidth loading={form.pending}>
            Create account
          </Button>
          <OidcButtons next={safeReturnPath(next)} />
        </Stack>
      </form>
    </AuthFrame>
  );
}
