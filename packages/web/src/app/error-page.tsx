import { ApiError } from '@fanion/contract';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useRouter } from '@tanstack/react-router';
import { isMissingChunk } from '../ui/errors.ts';
import { Page } from '../ui/page.tsx';
import { ErrorState } from '../ui/states.tsx';
import { reloadForMissingChunk } from './missing-chunk.ts';
import { NotFoundPage } from './not-found.tsx';

/** Replaces a page that failed to load or render; the navigation stays. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    // The browser keeps the failure of a part of the application until it is reloaded.
    if (isMissingChunk(error)) return void reloadForMissingChunk();
    reset();
    void router.invalidate();
  };
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage what="item" />;
  return (
    <Page title="Error">
      <ErrorState error={error} onRetry={retry} />
    </Page>
  );
}
