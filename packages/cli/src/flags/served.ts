import type { RouteResponse, setTargeting } from '@fanion/contract';

type Fallthrough = RouteResponse<typeof setTargeting>['fallthrough'];

/** What `fanion flag set` serves to everybody whom no rule matches. */
export interface Served {
  readonly variant: string;
  /** 0 to 100, with at most three decimals. */
  readonly percent: number;
  /** What the others get; undefined: nobody chose. */
  readonly rest: string | undefined;
}

interface Choices {
  readonly variants: readonly string[];
  readonly offVariant: string | null;
  /** The present one, whose division of the units is kept. */
  readonly fallthrough: Fallthrough;
}

/** @returns the fallthrough, or what is wrong with the choice */
export function fallthroughOf({ variant, percent, rest }: Served, choices: Choices): Fallthrough | string {
  const { variants, offVariant, fallthrough } = choices;
  const unknown = [variant, rest].find((one) => one !== undefined && !variants.includes(one));
  if (unknown !== undefined) return `the flag has no variant ${unknown}; it has ${variants.join(', ')}`;
  if (percent === 100) return { variant };
  const others = variants.filter((one) => one !== variant);
  const given =
    rest ?? (offVariant === variant ? undefined : offVariant) ?? (others.length === 1 ? others[0] : undefined);
  if (given === undefined || given === variant) return `name what the others get: --rest ${others.join(' or ')}`;
  const weight = Math.round(percent * 1_000);
  const weights = [
    { variant, weight },
    { variant: given, weight: 100_000 - weight },
  ];
  return { rollout: { ...fallthrough.rollout, weights } };
}
