import { NO_RECORDED_VALUE, numberPoint } from '../wire/fields.ts';
import { isStorable } from './points.ts';

const NOWHERE = -1;

/**
 * A number point as SDKs write it: short attributes one behind the other, times, a value, and flags. Positions in the body,
 * -1 for what is not given.
 */
export class PlainPoint {
  timeAt = NOWHERE;
  startAt = NOWHERE;
  valueAt = NOWHERE;
  isInteger = false;
  noRecordedValue = false;
  attributesStart = 0;
  attributesEnd = 0;

  /** Reads the point from `start` to `end`; false for one that has anything else, such as exemplars. */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.timeAt = this.startAt = this.valueAt = NOWHERE;
    this.noRecordedValue = false;
    this.attributesStart = this.attributesEnd = start;
    let at = start;
    while (at < end) {
      const tag = bytes[at] as number;
      switch (tag) {
        case numberPoint.attributes: {
          const length = bytes[at + 1] as number;
          if (length > 127) return false;
          if (this.attributesStart === this.attributesEnd) this.attributesStart = at;
          else if (this.attributesEnd !== at) return false;
          at += 2 + length;
          this.attributesEnd = at;
          continue;
        }
        case numberPoint.time:
          this.timeAt = at + 1;
          break;
        case numberPoint.start:
          if (isStorable(bytes, at + 1)) this.startAt = at + 1;
          break;
        case numberPoint.asDouble:
        case numberPoint.asInt:
          this.valueAt = at + 1;
          this.isInteger = tag === numberPoint.asInt;
          break;
        case numberPoint.flags: {
          const flags = bytes[at + 1] as number;
          if (flags > 127) return false;
          this.noRecordedValue = (flags & NO_RECORDED_VALUE) !== 0;
          at += 2;
          continue;
        }
        default:
          return false;
      }
      at += 9;
    }
    return at === end;
  }
}
