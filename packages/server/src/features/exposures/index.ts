export { createExposures, type ExposureStats, type Exposures } from './writer.ts';
