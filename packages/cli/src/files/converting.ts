import { InvalidFiles } from './documents.ts';
import { NotThisFormat } from './report.ts';

/**
 * Runs a conversion.
 *
 * @param where what comes before the reason in the message
 * @throws InvalidFiles if the files are not of the product that the user names
 */
export function converting<T>(where: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotThisFormat) throw new InvalidFiles([where + error.message]);
    throw error;
  }
}
