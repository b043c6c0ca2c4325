// The time line: rows of bars and dots over time, and a handle to go to a time.

import { button, make } from "./elements";
import { selectIn } from "./selecting";
import type { Range } from "./shared_time";
import { hideTip, showTip } from "./tip";

/** A bar, for something with a duration. */
export interface Bar {
  begin: number;
  end: number;
  colour: string;
  /** Its caption, and the title and lines of its tip. */
  text: string;
  title?: string;
  detail: string;
  /** The half of the row that it occupies; by default the whole row. */
  part?: "upper" | "lower";
  /** Name by which it can be hidden. */
  kind?: string;
}

export interface Dot {
  time: number;
  text: string;
  strong: boolean;
}

/** A row of a time line; `under` are the rows that it can be unfolded to. */
export interface Row {
  name: string;
  bars: Bar[];
  dots: Dot[];
  under: Row[];
}

/** A moment that is marked in all rows; a click goes there. */
export interface Marked {
  time: number;
  text: string;
}

export interface Ways {
  seek(time: number): void;
  /** Called with the time range selected by dragging; if it is not set, dragging moves through time. */
  zoom?(part: Range | undefined): void;
  marks?: readonly Marked[];
  /** Background of all rows: coloured time ranges, and dotted lines. */
  tints?: readonly [number, number, string][];
  lines?: readonly number[];
}

/** Maximum distance of a click from the start of a bar to go exactly there [pixels]. */
const SNAP = 6;
/** Dots closer than this are merged, as a share of the width. */
const TOGETHER = 0.004;
const MIN_WIDTH = 0.0025;
const MAX_ROWS = 400;
const TICKS = 8;
const STEPS = [1, 2, 5];

/** A time line in an element; clicking or dragging goes to a time. */
export class Timeline {
  readonly #rows = make("div", "rows");
  readonly #cursor = make("div", "cursor");
  readonly #behind = make("div", "behind");
  readonly #open = new Set<string>();
  readonly #bars = new WeakMap<Element, Bar>();
  readonly #marks: [HTMLElement, number][];
  #hidden: ReadonlySet<string> = new Set();
  #drawnRows: readonly Row[] = [];
  #range: Range;
  #edges: number[] = [];

  constructor(
    readonly element: HTMLElement,
    whole: Range,
    readonly ways: Ways,
  ) {
    this.#range = whole;
    this.#marks = (ways.marks ?? []).map((mark) => [this.#mark(mark), mark.time]);
    element.classList.add("hetwin-timeline");
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", "Time line");
    element.replaceChildren(this.#behind, this.#rows, this.#cursor, ...this.#marks.map(([line]) => line));
    element.addEventListener("pointermove", (event) => this.#say(event));
    element.addEventListener("pointerleave", hideTip);
    if (ways.zoom) this.#letZoom(ways.zoom);
    else this.#letGoThrough();
  }

  /** Draw rows, for example after they have grown. */
  draw(rows: readonly Row[]): void {
    this.#drawnRows = rows;
    this.zoom(...this.#range);
  }

  /** Hide bars with these names. */
  hide(kinds: ReadonlySet<string>): void {
    this.#hidden = kinds;
    this.zoom(...this.#range);
  }

  /** Zoom to a part of the time. */
  zoom(from: number, to: number): void {
    this.#range = [from, Math.max(to, from + 1e-3)];
    this.#edges = [];
    this.#rows.replaceChildren(...this.#drawnRows.flatMap((row) => this.#drawn(row, 0)), this.#ticks());
    this.#behind.replaceChildren(...this.#tints());
    for (const [line, time] of this.#marks) {
      line.style.setProperty("--mark", `${this.share(time)}`);
      line.hidden = this.share(time) < 0 || this.share(time) > 1;
    }
  }

  /** Move the handle to a time. */
  show(time: number): void {
    const at = this.share(time);
    this.#cursor.hidden = !(at >= 0 && at <= 1);
    this.element.style.setProperty("--at", `${at}`);
  }

  /** Position of a time as a share of the width; outside 0 to 1 if it is not visible. */
  share(time: number): number {
    return (time - this.#range[0]) / (this.#range[1] - this.#range[0]);
  }

  /** Make dragging move through time. */
  #letGoThrough(): void {
    this.element.addEventListener("pointerdown", (event) => this.#hold(event));
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) this.ways.seek(this.#timeAt(event.clientX));
    });
  }

  /** Make dragging select a time range. */
  #letZoom(zoom: (part: Range | undefined) => void): void {
    const offset = (x: number): number => x + this.element.getBoundingClientRect().left;
    selectIn(this.element, {
      area: () => {
        const [track, { left, top, height }] = [this.#track(), this.element.getBoundingClientRect()];
        return { left: track.left - left, right: track.right - left, top: 0, bottom: track.bottom ? track.top - top : height };
      },
      selected: ({ left, right }) => zoom([this.#timeAt(offset(left)), this.#timeAt(offset(right))]),
      clicked: (x) => this.ways.seek(this.#timeAt(offset(x))),
      reset: () => zoom(undefined),
    });
  }

  #mark({ time, text }: Marked): HTMLElement {
    // Pointer events are handled by the whole time line; a click without a pointer is from the keyboard.
    const line = make("button");
    line.className = "mark";
    line.type = "button";
    line.title = `${time.toFixed(3)} s: ${text}`;
    line.setAttribute("aria-label", line.title);
    line.dataset["time"] = `${time}`;
    line.addEventListener("click", (event) => event.detail || this.ways.seek(time));
    return line;
  }

  #tints(): HTMLElement[] {
    const { tints = [], lines = [] } = this.ways;
    const stretches = tints.map(([begin, end, colour]) => {
      const tint = make("div", "tint");
      Object.assign(tint.style, { left: `${100 * this.share(begin)}%`, width: `${100 * (this.share(end) - this.share(begin))}%` });
      tint.style.background = colour;
      return tint;
    });
    const dotted = lines.map((time) => {
      const line = make("div", "line");
      line.style.left = `${100 * this.share(time)}%`;
      return line;
    });
    return [...stretches, ...dotted];
  }

  /** Show the tip of the bar under the pointer. */
  #say(event: PointerEvent): void {
    const bar = this.#bars.get(event.target as Element);
    if (!bar || event.buttons) return hideTip();
    const span = `${bar.begin.toFixed(3)} s to ${bar.end.toFixed(3)} s`;
    showTip(event, [bar.title ?? bar.text, span, ...bar.detail.split("\n")].filter(Boolean).map((text) => ({ text })));
  }

  #track(): DOMRect {
    return this.#rows.lastElementChild!.lastElementChild!.getBoundingClientRect();
  }

  #timeAt(x: number): number {
    const track = this.#track();
    const share = Math.min(1, Math.max(0, (x - track.left) / Math.max(1, track.width)));
    return this.#range[0] + share * (this.#range[1] - this.#range[0]);
  }

  /** Go to the time at the pointer, or to the start of a bar next to it; dragging continues from there. */
  #hold(event: PointerEvent): void {
    const target = event.target as HTMLElement;
    if (event.button || target.closest("button.fold")) return;
    const exact = target.dataset["time"];
    const here = this.#timeAt(event.clientX);
    const near = (SNAP * (this.#range[1] - this.#range[0])) / Math.max(1, this.#track().width);
    const edge = this.#edges.reduce((a, b) => (Math.abs(b - here) < Math.abs(a - here) ? b : a), Infinity);
    if (exact !== undefined) this.ways.seek(Number(exact));
    else this.ways.seek(Math.abs(edge - here) < near ? edge : here);
    if (event.pointerType !== "touch") this.element.setPointerCapture(event.pointerId);
  }

  #drawn(row: Row, depth: number): HTMLElement[] {
    const open = this.#open.has(row.name);
    const name = make("div", "name", row.under.length ? this.#fold(row.name, open) : row.name);
    name.title = row.name;
    const bars = row.bars.filter(({ begin, end, kind }) => this.#isSeen(begin, end) && !this.#hidden.has(kind ?? ""));
    const track = make("div", "track", ...bars.map((bar) => this.#bar(bar)), ...this.#dots(row.dots));
    const line = make("div", depth ? "row under" : "row", name, track);
    const under = open ? row.under.slice(0, MAX_ROWS).flatMap((one) => this.#drawn(one, depth + 1)) : [];
    return [line, ...under];
  }

  #isSeen(begin: number, end: number): boolean {
    return this.share(end) >= 0 && this.share(begin) <= 1;
  }

  #fold(name: string, open: boolean): HTMLElement {
    const fold = button(name, () => {
      if (!this.#open.delete(name)) this.#open.add(name);
      this.zoom(...this.#range);
    });
    fold.className = "fold";
    fold.setAttribute("aria-expanded", `${open}`);
    return fold;
  }

  #bar(bar: Bar): HTMLElement {
    const [from, to] = [Math.max(0, this.share(bar.begin)), Math.min(1, this.share(bar.end))];
    const node = make("div", `bar ${bar.part ?? ""}`.trim(), bar.text);
    this.#edges.push(bar.begin);
    this.#bars.set(node, bar);
    Object.assign(node.style, {
      left: `${100 * from}%`,
      width: `${100 * Math.max(MIN_WIDTH, to - from)}%`,
      background: bar.colour,
    });
    return node;
  }

  /** Draw dots; those too close to each other are merged into one, with their number. */
  #dots(dots: Dot[]): HTMLElement[] {
    const groups: Dot[][] = [];
    for (const dot of dots) {
      const last = groups.at(-1);
      const near = last && this.share(dot.time) - this.share(last[0]!.time) < TOGETHER;
      if (near && last[0]!.strong === dot.strong) last.push(dot);
      else groups.push([dot]);
    }
    return groups
      .filter(([first]) => this.share(first!.time) >= 0 && this.share(first!.time) <= 1)
      .map((group) => this.#dot(group));
  }

  #dot(group: Dot[]): HTMLElement {
    const first = group[0]!;
    this.#edges.push(first.time);
    // Pointer events are handled by the whole time line; a click without a pointer is from the keyboard.
    const node = make("button");
    node.className = first.strong ? "dot strong" : "dot";
    node.type = "button";
    const words = [...new Set(group.map((dot) => dot.text))];
    const more = words.length > 3 ? `\nand ${words.length - 3} more` : "";
    node.title = `${first.time.toFixed(3)} s: ${words.slice(0, 3).join("\n")}${more}`;
    node.setAttribute("aria-label", node.title);
    node.dataset["time"] = `${first.time}`;
    node.style.left = `${100 * this.share(first.time)}%`;
    node.addEventListener("click", (event) => event.detail || this.ways.seek(first.time));
    return node;
  }

  #ticks(): HTMLElement {
    const [from, to] = this.#range;
    const rough = (to - from) / TICKS;
    const scale = 10 ** Math.floor(Math.log10(rough));
    const step = scale * (STEPS.find((one) => one * scale >= rough) ?? 10);
    const track = make("div", "track");
    for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9; i++) {
      const tick = make("span", "tick", `${Number((i * step).toPrecision(12))} s`);
      tick.style.left = `${100 * this.share(i * step)}%`;
      track.append(tick);
    }
    return make("div", "row ticks", make("div", "name"), track);
  }
}
