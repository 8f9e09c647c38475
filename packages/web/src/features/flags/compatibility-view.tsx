import { previewCompatibility, type RouteResponse } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useScope } from '../../app/session.ts';
import { type Proposal, proposedTargeting } from './draft.ts';
import classes from './review.module.css';

type Compatibility = RouteResponse<typeof previewCompatibility>;

const products: Readonly<Record<keyof Compatibility, string>> = {
  launchdarkly: 'LaunchDarkly',
  unleash: 'Unleash',
  growthbook: 'GrowthBook',
  flagd: 'flagd',
};

/** Why SDKs of other products that evaluate themselves would not get the flag after a change. */
export function CompatibilityView({ flag, environment, proposed }: Proposal) {
  const { ws, project } = useScope();
  const body = proposedTargeting(proposed);
  // An error is that of the replay, or of the write.
  const { data } = useQuery({
    queryKey: [previewCompatibility.id, ws, project, environment, flag, JSON.stringify(body)],
    queryFn: async ({ signal }): Promise<Compatibility> => {
      const params = { ws, p: project, e: environment, key: flag };
      return (await call(previewCompatibility, { params, body, signal })).data;
    },
  });
  if (data === undefined) return null;
  const without = Object.entries(products).filter(([product]) => data[product as keyof Compatibility].length > 0);
  if (without.length === 0) return <p className="dim">SDKs of all other products get the flag.</p>;
  return (
    <details className={classes.compatibility}>
      <summary>
        SDKs of {new Intl.ListFormat('en').format(without.map(([, name]) => name))} that evaluate themselves will not
        get the flag
      </summary>
      <ul aria-label="Why they do not get it">
        {without.map(([product, name]) => (
          <li key={product}>
            {name}: the flag {data[product as keyof Compatibility].join('; ')}
          </li>
        ))}
      </ul>
    </details>
  );
}
