import { ButtonLink } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';
import { EmptyState } from '../ui/states.tsx';

/** For unknown addresses and for items that do not exist (any more). */
export function NotFoundPage({ what = 'page' }: { what?: string }) {
  return (
    <Page title="Not found">
      <EmptyState
        title={`This ${what} does not exist`}
        action={
          <ButtonLink to="/" variant="default">
            Go to the start page
          </ButtonLink>
        }
      >
        It may have been deleted or renamed, or it belongs to a workspace that you are not a member of.
      </EmptyState>
    </Page>
  );
}
