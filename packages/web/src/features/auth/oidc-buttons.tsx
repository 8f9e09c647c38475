import { routePath, startOidc } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { metaQuery } from '../../app/meta-query.ts';
import { stringifySearch } from '../../app/search.ts';
import { Button } from '../../ui/mantine.ts';
import { Or } from './auth-frame.tsx';

/**
 * One button per configured OpenID Connect provider.
 * @param next the path to return to
 * @param newWindow keeps the page, which may hold a draft
 */
export function OidcButtons({ next, newWindow = false }: { next: string; newWindow?: boolean }) {
  const { data: meta } = useQuery(metaQuery);
  const providers = meta?.capabilities.oidc ?? [];
  if (providers.length === 0) return null;
  return (
    <>
      <Or />
      {providers.map((provider) => (
        <Button
          key={provider.slug}
          component="a"
          variant="default"
          fullWidth
          {...(newWindow && { target: '_blank', rel: 'opener', 'data-mantine-stop-propagation': true })}
          href={routePath(startOidc, { slug: provider.slug }) + stringifySearch({ return_to: next })}
        >
          Continue with {provider.name}
        </Button>
      ))}
    </>
  );
}
