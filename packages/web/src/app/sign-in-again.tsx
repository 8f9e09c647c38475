import { logIn } from '@fanion/contract';
import { call } from '../api/client.ts';
import { OidcButtons } from '../features/auth/oidc-buttons.tsx';
import { useForm } from '../ui/form.ts';
import { Button, Modal, PasswordInput, Stack, TextInput } from '../ui/mantine.ts';
import { ErrorNotice } from '../ui/states.tsx';
import { resumeSession } from './ended-session.ts';
import { useMe } from './session.ts';

/** Keeps Escape from closing a dialog underneath, which may hold a draft. */
const STAYS = { 'data-mantine-stop-propagation': true };

/** Asks to sign in after the session has ended. The page underneath stays as it is. */
export function SignInAgain() {
  return (
    <Modal
      opened
      onClose={() => {}}
      title="Your session ended"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size={380}
      // Above every other dialog.
      zIndex={1000}
    >
      <SignInForm />
    </Modal>
  );
}

function SignInForm() {
  const { user } = useMe();
  const form = useForm({
    initial: { email: user.email, password: '' },
    submit: async (body) => {
      await call(logIn, { body });
      await resumeSession();
    },
  });
  return (
    <form onSubmit={form.onSubmit}>
      <Stack gap="md">
        <p>Sign in to continue. What you entered on this page is kept.</p>
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          {...STAYS}
          {...form.field('email')}
          description={
            form.values.email.trim() === user.email ? undefined : 'Signing in with another account reloads the page.'
          }
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          {...STAYS}
          {...form.field('password')}
        />
        <ErrorNotice error={form.error} />
        <Button type="submit" fullWidth loading={form.pending} {...STAYS}>
          Sign in
        </Button>
        <OidcButtons next="/signed-in" newWindow />
      </Stack>
    </form>
  );
}
