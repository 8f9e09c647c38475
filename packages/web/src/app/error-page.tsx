import { ApiError } from '@fanion/contract';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import { Page } from '../ui/page.tsx';
import { ErrorState } from '../ui/states.tsx';
import { NotFoundPage } from './not-found.tsx';

/** Replaces a page that failed to load or render; the navigation stays. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage what="item" />;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Error">
      <ErrorState error={error} onRetry={retry} />
    </Page>
  );
}
