import { logIn } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { metaQuery } from '../../app/meta-query.ts';
import { queryClient } from '../../app/query-client.ts';
import { safeReturnPath } from '../../app/search.ts';
import { useForm } from '../../ui/form.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button, PasswordInput, Stack, TextInput } from '../../ui/mantine.ts';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { AuthFrame } from './auth-frame.tsx';
import { OidcButtons } from './oidc-buttons.tsx';
import { refusalText } from './refusals.ts';

export function SignInPage() {
  const { next, error, provider, reason } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const { data: meta } = useQuery(metaQuery);
  const form = useForm({
    initial: { email: '', password: '' },
    submit: async (values) => {
      await call(logIn, { body: values });
      queryClient.clear();
      await navigate({ href: safeReturnPath(next), replace: true });
    },
  });
  const open = meta?.capabilities.signup === 'open';
  return (
    <AuthFrame
      title="Sign in"
      foot={
        open ? (
          <>
            New here?{' '}
            <AppLink to="/sign-up" search={{ next }}>
              Create an account
            </AppLink>
          </>
        ) : (
          'New accounts require an invitation.'
        )
      }
    >
      <form onSubmit={form.onSubmit}>
        <Stack gap="md" mt="md">
          {error !== undefined && (
            <Notice kind="error">
              {refusalText(reason, meta?.capabilities.oidc.find(({ slug }) => slug === provider)?.name ?? provider)}{' '}
              <span className="mono dim">{error}</span>
            </Notice>
          )}
          <TextInput label="E-mail" type="email" autoComplete="username" required autoFocus {...form.field('email')} />
          <PasswordInput label="Password" autoComplete="current-password" required {...form.field('password')} />
          <ErrorNotice error={form.error} />
          <Button type="submit" fullWidth loading={form.pending}>
            Sign in
          </Button>
          <OidcButtons next={safeReturnPath(next)} />
        </Stack>
      </form>
    </AuthFrame>
  );
}
