// The time that all of a page shows: the moment, and which part of it.

/** From when to when, in seconds. */
export type Range = readonly [number, number];

/** Joins everything of a page that is drawn over time; what has the same whole range is zoomed together. */
export class SharedTime {
  /** Called with the moment that is shown now. */
  readonly onTime: ((time: number) => void)[] = [];
  /** Called with a moment that a user wants to see. */
  readonly onSeek: ((time: number) => void)[] = [];
  /** Called with the whole range of what was zoomed, and the part of it that is shown now. */
  readonly onZoom: ((whole: Range, part: Range) => void)[] = [];
  readonly #parts = new Map<string, Range>();
  time = NaN;

  show(time: number): void {
    this.time = time;
    for (const tell of this.onTime) tell(time);
  }

  seek(time: number): void {
    for (const tell of this.onSeek) tell(time);
  }

  /** Show a part of a whole range; without a part all of it. */
  zoom(whole: Range, part: Range = whole): void {
    this.#parts.set(`${whole}`, part);
    for (const tell of this.onZoom) tell(whole, part);
  }

  /** The part of a whole range that is shown. */
  partOf(whole: Range): Range {
    return this.#parts.get(`${whole}`) ?? whole;
  }
}

/** Of this page. */
export const pageTime = new SharedTime();
