import type { AdjustedRatioSample } from '../../sample.ts';

/** The arms of the suite's ratio with values from before, which several of its files use. */
export const ratioControl: AdjustedRatioSample = {
  kind: 'adjusted_ratio',
  n: 100,
  x: 485.112236689623,
  xx: 2715.484666118136,
  y: 679.9093275844917,
  yy: 4939.424001640236,
  b: 192.59138069991536,
  bb: 460.076026390857,
  c: 290.1398399750233,
  cc: 920.9461385038898,
  xb: 1113.6215759318352,
  yc: 2130.9404074446747,
  bc: 634.239482353647,
  xy: 3602.146836776702,
  xc: 1559.2878434944676,
  yb: 1460.3181079276983,
};
export const ratioTreatment: AdjustedRatioSample = {
  kind: 'adjusted_ratio',
  n: 100,
  x: 514.7757826608777,
  xx: 2994.897482705013,
  y: 705.4090874383759,
  yy: 5291.36604146392,
  b: 206.94157227402536,
  bb: 514.2903702246757,
  c: 302.54389139107326,
  cc: 994.4506208125663,
  xb: 1237.0953021125997,
  yc: 2292.081739775257,
  bc: 698.4173425817908,
  xy: 3918.1561431600717,
  xc: 1701.0287270040265,
  yb: 1604.0759503266522,
};
