import { acceptInvitation } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { queryClient } from '../../app/query-client.ts';
import { meQuery } from '../../app/session.ts';
import { useForm } from '../../ui/form.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Button, PasswordInput, Stack, TextInput } from '../../ui/mantine.ts';
import { ErrorNotice, ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { AuthFrame } from './auth-frame.tsx';
import { invitationQuery } from './queries.ts';

/** The page behind an invitation link: join with the current account, after signing in, or with a new account. */
export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' });
  const invitation = useQuery(invitationQuery(token));
  const me = useQuery({ ...meQuery, retry: false });
  if (invitation.isPending || me.isPending) return <Loading />;
  if (invitation.isError)
    return (
      <AuthFrame title="Invitation" foot={<AppLink to="/sign-in">Sign in</AppLink>}>
        <ErrorState compact error={invitation.error} />
      </AuthFrame>
    );
  const { workspace, email, role, invited_by, account_exists } = invitation.data;
  const signedInAs = me.data?.user.email;
  return (
    <AuthFrame
      title={`Join ${workspace.name}`}
      lead={`${invited_by ?? 'Someone'} invited ${email} to join as ${role.toLowerCase()}.`}
    >
      {signedInAs === email ? (
        <Accept token={token} newAccount={false} email={email} />
      ) : signedInAs !== undefined ? (
        <Notice kind="warning">
          You are signed in as {signedInAs}. Sign out and open this link again to accept as {email}.
        </Notice>
      ) : account_exists ? (
        <SignInFirst />
      ) : (
        <Accept token={token} newAccount email={email} />
      )}
    </AuthFrame>
  );
}

function SignInFirst() {
  const { pathname } = useLocation();
  return (
    <ButtonLink to="/sign-in" search={{ next: pathname }} fullWidth>
      Sign in to accept
    </ButtonLink>
  );
}

function Accept({ token, newAccount, email }: { token: string; newAccount: boolean; email: string }) {
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: '', password: '' },
    submit: async (values) => {
      const { data } = await call(acceptInvitation, { params: { token }, ...(newAccount && { body: values }) });
      queryClient.clear();
      await navigate({ to: '/w/$ws', params: { ws: data.workspace.slug }, replace: true });
    },
  });
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="md">
        {newAccount && (
          <>
            <TextInput label="E-mail" value={email} readOnly autoComplete="username" />
            <TextInput label="Your name" autoComplete="name" required autoFocus {...form.field('name')} />
            <PasswordInput
              label="Password"
              description="At least 8 characters; longer is stronger."
              autoComplete="new-password"
              required
              minLength={8}
              {...form.field('password')}
            />
          </>
        )}
        <ErrorNotice error={form.error} />
        <Button type="submit" fullWidth loading={form.pending}>
          {newAccount ? 'Create account and join' : 'Join'}
        </Button>
      </Stack>
    </form>
  );
}
