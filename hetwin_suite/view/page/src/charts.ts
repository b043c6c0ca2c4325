// Figures of lines and points over time or another quantity: one or several charts with a common horizontal axis.

import { Chart, Filler, LinearScale, LineController, LineElement, PointElement } from "chart.js";
import type { ChartDataset, ChartOptions, Plugin, ScaleOptions } from "chart.js";
import { make } from "./elements";
import type { Axis, ChartFigure, Line, Panel, Point } from "./figure";
import { hoverAt } from "./hover";
import { legend } from "./legend";
import { selectIn, type Box } from "./selecting";
import { pageTime, type Range } from "./shared_time";
import { hideTip, showTip } from "./tip";

Chart.register(LineController, LineElement, PointElement, LinearScale, Filler);

/** Returns the array with a number. */
export type Numbers = (index: number) => Float32Array;

const NAMES_WIDTH = 62;
const RIGHT = 14;
const TOP = 8;
const BOTTOM = 26;
const TITLE = 18;
const MARGIN = 0.01;
const ROOM = 0.06;
const POINT = 3.5;

type Data = ChartDataset<"line", Point[]>;
type Scale = ScaleOptions<"linear">;

/** Draw a figure. */
export function drawChart(place: HTMLElement, figure: ChartFigure, numbers: Numbers): void {
  place.replaceChildren();
  const panels = figure.panels.map((panel, i) => new Drawn(place, figure, panel, numbers, i === figure.panels.length - 1));
  const named = figure.panels.flatMap(({ lines }) => lines).filter(({ name }) => name);
  if (figure.legend) {
    place.prepend(
      legend(named, (hidden) => {
        for (const panel of panels) panel.hide(hidden);
      }),
    );
  }
  place.style.minHeight = "";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => panels.forEach((panel) => panel.colour()));
  if (!figure.span) return;
  pageTime.onTime.push(() => panels.forEach((panel) => panel.point()));
  pageTime.onZoom.push((whole) => {
    if (`${whole}` === `${figure.span}`) for (const panel of panels) panel.zoomTime();
  });
}

/** One chart of a figure. */
class Drawn {
  readonly element = make("div", "panel");
  readonly #now = make("div", "now");
  readonly #hair = make("div", "hair");
  readonly #chart: Chart<"line", Point[]>;
  readonly #whole: { x: Range; y: Range };
  /** Lines by the index of their dataset; the edges of bands have no line. */
  readonly #lines: (Line | undefined)[] = [];

  constructor(
    place: HTMLElement,
    readonly figure: ChartFigure,
    readonly panel: Panel,
    numbers: Numbers,
    lowest: boolean,
  ) {
    if (panel.title) place.append(make("h4", "", panel.title));
    const height = figure.height * panel.share + (lowest ? BOTTOM + (figure.x.title ? TITLE : 0) : 0);
    this.element.style.height = `${height}px`;
    const canvas = make("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", panel.lines.map(({ name }) => name).join(", "));
    this.#now.hidden = this.#hair.hidden = true;
    this.element.append(canvas, this.#now, this.#hair);
    place.append(this.element);
    const datasets = panel.lines.flatMap((line) => this.#datasets(line, numbers));
    this.#whole = { x: this.#across(datasets), y: panel.y.range ?? this.#up(datasets) };
    const options = this.#options(lowest);
    this.#chart = new Chart(canvas, { type: "line", data: { datasets }, options, plugins: [this.#behind()] });
    this.#listen();
    if (figure.equal) this.#equalize();
    if (figure.span) this.zoomTime();
  }

  /** Hide the lines with these names. */
  hide(names: ReadonlySet<string>): void {
    this.#chart.data.datasets.forEach((data, i) => this.#chart.setDatasetVisibility(i, !names.has(data.label!)));
    this.#chart.update("none");
  }

  /** Use the colours of the page's light or dark theme. */
  colour(): void {
    Object.assign(this.#chart.options, this.#options(Boolean(this.#chart.options.scales!["x"]!.ticks!.display)));
    this.#zoom(this.figure.span ? pageTime.partOf(this.figure.span) : this.#whole.x, this.#whole.y);
  }

  /** Move the line that marks the current time of the page. */
  point(): void {
    const { left, right, top, bottom } = this.#chart.chartArea;
    const at = this.#chart.scales["x"]!.getPixelForValue(pageTime.time);
    this.#now.hidden = !(this.figure.span && at >= left && at <= right);
    Object.assign(this.#now.style, { left: `${at}px`, top: `${top}px`, height: `${bottom - top}px` });
  }

  /** Zoom to the time range that the page shows. */
  zoomTime(): void {
    const part = pageTime.partOf(this.figure.span!);
    const whole = `${part}` === `${this.figure.span}`;
    this.#zoom(whole ? this.#whole.x : part, whole ? this.#whole.y : this.#range());
  }

  #datasets(line: Line, numbers: Numbers): Data[] {
    const x = numbers(line.x);
    const data = (index: number): Point[] => Array.from(numbers(index), (y, i) => ({ x: x[i]!, y }));
    const style = { pointRadius: 0, pointHitRadius: 0, label: line.name, borderWidth: 0.75, borderColor: seeThrough(line.colour, 0.4) };
    const made: Data[] = [];
    if (line.low !== null && line.high !== null) {
      const filled = { fill: { target: "-1" }, backgroundColor: seeThrough(line.colour, 0.16 * line.opacity) };
      made.push({ ...style, data: data(line.low) }, { ...style, data: data(line.high), ...filled });
    }
    const colour = seeThrough(line.colour, line.opacity);
    const points = line.points.length === 1 ? Array.from(x, () => line.points[0]!) : line.points;
    made.push({
      ...{ label: line.name, data: data(line.y), borderColor: colour, backgroundColor: colour, borderWidth: line.width },
      ...{ showLine: line.style !== "none", stepped: line.style === "steps", borderDash: line.style === "dotted" ? [2, 3] : [] },
      ...{ borderJoinStyle: "round", pointHitRadius: 0, pointBorderColor: colour, pointBorderWidth: points.includes("cross") ? 2 : 1.5 },
      pointRadius: points.length ? POINT : 0,
      pointStyle: points.map((one) => (one === "cross" ? "crossRot" : "circle")),
      pointBackgroundColor: points.map((one) => (one === "hollow" ? ink("--card", "#fff") : colour)),
    });
    this.#lines.push(...made.slice(1).map(() => undefined), line);
    made.forEach((data, i) => (data.order = i - this.#lines.length)); // the last line is on top
    return made;
  }

  /** Initial range of the horizontal axis. */
  #across(datasets: readonly Data[]): Range {
    const [low, high] = this.figure.span ?? this.figure.x.range ?? extent(datasets, "x");
    const margin = this.figure.x.range ? 0 : MARGIN * Math.max(high - low, 1e-3);
    return [low - margin, high + margin];
  }

  /** Initial range of the vertical axis. */
  #up(datasets: readonly Data[]): Range {
    const [least, most] = extent(datasets, "y");
    const low = this.panel.y.from_zero ? Math.min(0, least) : least;
    const margin = ROOM * (most - low || Math.abs(most) || 1);
    return [low - margin, most + margin];
  }

  #options(lowest: boolean): ChartOptions<"line"> {
    const { x, span } = this.figure;
    return {
      ...{ animation: false, responsive: true, maintainAspectRatio: false, events: [], normalized: false },
      layout: { padding: { top: TOP, right: RIGHT } },
      onResize: () => {
        if (this.figure.equal && this.#chart) requestAnimationFrame(() => this.#equalize());
      },
      scales: { x: this.#scale(x, this.#whole.x, span ? " s" : "", lowest), y: this.#scale(this.panel.y, this.#whole.y, "", true) },
    };
  }

  #scale(axis: Axis, range: Range, unit: string, shown: boolean): Scale {
    const vertical = axis === this.panel.y;
    const labels = new Map(axis.ticks);
    const colour = ink("--text", "#1f2630");
    const scale: Scale = {
      type: "linear",
      ...{ min: range[0], max: range[1] },
      border: { display: false },
      grid: { color: ink("--line", "#e3e7ed"), tickLength: vertical || !shown ? 0 : 4 },
      title: { display: shown && axis.title !== "", text: axis.title, color: colour, padding: 2, font: { size: 12 } },
      ticks: {
        ...{ display: shown, color: colour, maxRotation: 0, autoSkipPadding: 14, includeBounds: false, padding: 4 },
        font: { size: 11 },
        callback: (value) => labels.get(Number(value)) ?? (axis.percent ? `${Math.round(100 * Number(value))}%` : `${short(Number(value))}${unit}`),
      },
    };
    if (labels.size) scale.afterBuildTicks = (built) => (built.ticks = axis.ticks.map(([value]) => ({ value })));
    if (vertical) scale.afterFit = (fitted) => (fitted.width = Math.max(fitted.width, NAMES_WIDTH));
    return scale;
  }

  /** Draw tinted ranges, marks and levels behind the lines. */
  #behind(): Plugin<"line"> {
    return {
      id: "behind",
      afterLayout: () => requestAnimationFrame(() => this.#chart && this.point()),
      beforeDatasetsDraw: ({ ctx, chartArea: { left, right, top, bottom }, scales }) => {
        const x = (value: number): number => scales["x"]!.getPixelForValue(value);
        ctx.save();
        ctx.beginPath();
        ctx.rect(left, top, right - left, bottom - top);
        ctx.clip();
        for (const [begin, end, colour] of this.panel.tints) {
          ctx.fillStyle = seeThrough(colour, 0.16);
          ctx.fillRect(x(begin), top, x(end) - x(begin), bottom - top);
        }
        ctx.strokeStyle = "#808896";
        ctx.setLineDash([2, 2]);
        ctx.beginPath();
        for (const mark of this.figure.marks) ctx.moveTo(x(mark), top), ctx.lineTo(x(mark), bottom);
        for (const level of this.figure.levels) {
          const y = scales["y"]!.getPixelForValue(level);
          ctx.moveTo(left, y), ctx.lineTo(right, y);
        }
        ctx.stroke();
        ctx.restore();
      },
    };
  }

  #listen(): void {
    const { span } = this.figure;
    selectIn(this.element, {
      area: () => this.#chart.chartArea,
      selected: (box) => this.#select(box),
      clicked: (x) => span && pageTime.seek(this.#chart.scales["x"]!.getValueForPixel(x)!),
      reset: () => {
        if (span) pageTime.zoom(span);
        else this.#zoom(this.#whole.x, this.#whole.y);
        if (this.figure.equal) this.#equalize();
      },
    });
    this.element.addEventListener("pointermove", (event) => this.#hover(event));
    this.element.addEventListener("pointerleave", () => this.#leave());
  }

  #select({ left, top, right, bottom }: Box): void {
    const { x, y } = this.#chart.scales;
    const area = this.#chart.chartArea;
    const part: Range = [x!.getValueForPixel(left)!, x!.getValueForPixel(right)!];
    const whole = top <= area.top && bottom >= area.bottom;
    this.#zoom(part, whole ? this.#range() : [y!.getValueForPixel(bottom)!, y!.getValueForPixel(top)!]);
    if (this.figure.span) pageTime.zoom(this.figure.span, part);
    if (this.figure.equal) this.#equalize();
  }

  #hover(event: PointerEvent): void {
    if (event.buttons) return;
    const { left, top } = this.element.getBoundingClientRect();
    const { x: title, span, single } = this.figure;
    const found = hoverAt(this.#chart, this.#lines, event.clientX - left, event.clientY - top, { axis: title, timed: span !== null, single });
    if (!found) return this.#leave();
    this.#hair.hidden = single;
    this.#hair.style.left = `${found.x}px`;
    showTip(event, found.lines);
  }

  #leave(): void {
    this.#hair.hidden = true;
    hideTip();
  }

  /** The visible vertical range. */
  #range(): Range {
    const { min, max } = this.#chart.scales["y"]!;
    return [min, max];
  }

  #zoom(x: Range, y: Range): void {
    const scales = this.#chart.options.scales!;
    [scales["x"]!.min, scales["x"]!.max] = x;
    [scales["y"]!.min, scales["y"]!.max] = y;
    this.#chart.update("none");
  }

  /** Extend the range of one axis so that both have the same scale. */
  #equalize(): void {
    const { left, right, top, bottom } = this.#chart.chartArea;
    const [x, y] = [this.#chart.scales["x"]!, this.#chart.scales["y"]!];
    const scale = Math.max((x.max - x.min) / Math.max(1, right - left), (y.max - y.min) / Math.max(1, bottom - top));
    const around = ({ min, max }: { min: number; max: number }, points: number): Range => {
      const [middle, half] = [(min + max) / 2, (scale * points) / 2];
      return [middle - half, middle + half];
    };
    this.#zoom(around(x, right - left), around(y, bottom - top));
  }
}

function extent(datasets: readonly Data[], axis: "x" | "y"): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const { data } of datasets) {
    for (const point of data) {
      const value = point[axis]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

/** Text of a number on an axis, without insignificant digits. */
function short(value: number): string {
  return `${Number(value.toPrecision(6))}`.replace("-", "\u2212");
}

/** Value of a colour that is defined in the page's style sheet. */
function ink(name: string, otherwise: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || otherwise;
}

function seeThrough(colour: string, opacity: number): string {
  return `${colour}${Math.round(255 * opacity).toString(16).padStart(2, "0")}`;
}
