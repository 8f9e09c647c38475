import { useEffect } from 'react';
import { AuthFrame } from './auth-frame.tsx';

/** The end of a sign-in in a separate window. The page that opened it already knows about the sign-in. */
export function SignedInPage() {
  useEffect(() => window.close(), []);
  return <AuthFrame title="You are signed in" lead="Close this window and return to your page." />;
}
