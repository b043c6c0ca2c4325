// The time line: rows of bars and dots over time, and the handle with which one goes to a time.

import { rowsOf, type Bar, type Course, type Dot, type Row } from "./course";

/** How near a click must be to the beginning of something to go there, in points. */
const SNAP = 6;
/** Dots that are nearer than this are one, in shares of the width. */
const TOGETHER = 0.004;
const LEAST_WIDTH = 0.0025;
const MOST_ROWS = 400;
const TICKS = 8;
const STEPS = [1, 2, 5];

/** A time line in an element; a click or a drag goes to a time. */
export class Timeline {
  readonly #rows = document.createElement("div");
  readonly #cursor = document.createElement("div");
  readonly #open = new Set<string>();
  #course: Course;
  #range: [number, number];
  #edges: number[] = [];

  constructor(
    readonly element: HTMLElement,
    course: Course,
    readonly seek: (time: number) => void,
  ) {
    this.#course = course;
    this.#range = [course.start, course.end];
    element.classList.add("hetwin-timeline");
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", "Time line");
    this.#cursor.className = "cursor";
    this.#rows.className = "rows";
    element.replaceChildren(this.#rows, this.#cursor);
    element.addEventListener("pointerdown", (event) => this.#hold(event));
    element.addEventListener("pointermove", (event) => {
      if (element.hasPointerCapture(event.pointerId)) this.seek(this.#timeAt(event.clientX));
    });
    this.draw(course);
  }

  /** Draw a course, for instance one that has grown; the whole of it is shown. */
  draw(course: Course): void {
    this.#course = course;
    this.zoom(course.start, course.end);
  }

  /** Show a part of the time. */
  zoom(from: number, to: number): void {
    this.#range = [from, Math.max(to, from + 1e-3)];
    this.#edges = [];
    const rows = rowsOf(this.#course).flatMap((row) => this.#drawn(row, 0));
    this.#rows.replaceChildren(...rows, this.#ticks());
  }

  /** Move the handle to a time. */
  show(time: number): void {
    const at = this.share(time);
    this.#cursor.hidden = at < 0 || at > 1;
    this.element.style.setProperty("--at", `${at}`);
  }

  /** Where a time is, as a share of the width; beyond 0 to 1 where it is not shown. */
  share(time: number): number {
    return (time - this.#range[0]) / (this.#range[1] - this.#range[0]);
  }

  #track(): DOMRect {
    return this.#rows.lastElementChild!.lastElementChild!.getBoundingClientRect();
  }

  #timeAt(x: number): number {
    const track = this.#track();
    const share = Math.min(1, Math.max(0, (x - track.left) / Math.max(1, track.width)));
    return this.#range[0] + share * (this.#range[1] - this.#range[0]);
  }

  /** Go to where the pointer is, or to what begins beside it; a drag goes on from there. */
  #hold(event: PointerEvent): void {
    const target = event.target as HTMLElement;
    if (event.button || target.closest("button.fold")) return;
    const exact = target.dataset["time"];
    const here = this.#timeAt(event.clientX);
    const near = (SNAP * (this.#range[1] - this.#range[0])) / Math.max(1, this.#track().width);
    const edge = this.#edges.reduce((a, b) => (Math.abs(b - here) < Math.abs(a - here) ? b : a), Infinity);
    if (exact !== undefined) this.seek(Number(exact));
    else this.seek(Math.abs(edge - here) < near ? edge : here);
    if (event.pointerType !== "touch") this.element.setPointerCapture(event.pointerId);
  }

  #drawn(row: Row, depth: number): HTMLElement[] {
    const name = element("div", "name");
    const open = this.#open.has(row.name);
    if (row.under.length) name.append(this.#fold(row.name, open));
    else name.textContent = row.name;
    name.title = row.name;
    const track = element("div", "track");
    track.append(...row.bars.map((bar) => this.#bar(bar)), ...this.#dots(row.dots));
    const line = element("div", depth ? "row under" : "row");
    line.append(name, track);
    const under = open ? row.under.slice(0, MOST_ROWS).flatMap((one) => this.#drawn(one, depth + 1)) : [];
    return [line, ...under];
  }

  #fold(name: string, open: boolean): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "fold";
    button.textContent = name;
    button.setAttribute("aria-expanded", `${open}`);
    button.addEventListener("click", () => {
      if (!this.#open.delete(name)) this.#open.add(name);
      this.zoom(...this.#range);
    });
    return button;
  }

  #bar(bar: Bar): HTMLElement {
    const from = Math.max(0, this.share(bar.begin));
    const to = Math.min(1, this.share(bar.end));
    const node = element("div", "bar");
    if (to < 0 || from > 1) return node;
    this.#edges.push(bar.begin);
    node.textContent = bar.text;
    node.title = `${bar.text}, ${bar.begin.toFixed(3)} s to ${bar.end.toFixed(3)} s\n${bar.detail}`;
    Object.assign(node.style, {
      left: `${100 * from}%`,
      width: `${100 * Math.max(LEAST_WIDTH, to - from)}%`,
      background: bar.colour,
    });
    return node;
  }

  /** Dots, those too near to each other as one with their number. */
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
    const node = document.createElement("button");
    node.type = "button";
    node.className = first.strong ? "dot strong" : "dot";
    const words = [...new Set(group.map((dot) => dot.text))];
    const more = words.length > 3 ? `\nand ${words.length - 3} more` : "";
    node.title = `${first.time.toFixed(3)} s: ${words.slice(0, 3).join("\n")}${more}`;
    node.setAttribute("aria-label", node.title);
    node.dataset["time"] = `${first.time}`;
    node.style.left = `${100 * this.share(first.time)}%`;
    // The pointer is handled for the whole time line; this is for the keyboard.
    node.addEventListener("click", (event) => event.detail || this.seek(first.time));
    return node;
  }

  #ticks(): HTMLElement {
    const [from, to] = this.#range;
    const rough = (to - from) / TICKS;
    const scale = 10 ** Math.floor(Math.log10(rough));
    const step = scale * (STEPS.find((one) => one * scale >= rough) ?? 10);
    const track = element("div", "track");
    for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9; i++) {
      const tick = element("span", "tick");
      tick.textContent = `${Number((i * step).toPrecision(12))} s`;
      tick.style.left = `${100 * this.share(i * step)}%`;
      track.append(tick);
    }
    const line = element("div", "row ticks");
    line.append(element("div", "name"), track);
    return line;
  }
}

function element(tag: string, name: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}
