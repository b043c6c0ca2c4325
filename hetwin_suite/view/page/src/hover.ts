// Finds the points of a chart near the pointer.

import type { Chart } from "chart.js";
import type { Axis, Line, Point } from "./figure";
import type { TipLine } from "./tip";

/** Maximum distance of a point from the pointer, in pixels. */
const NEAR = 40;

export interface Pointed {
  axis: Axis;
  /** Whether the horizontal axis is time. */
  timed: boolean;
  /** Whether to find one point only, instead of one for each line. */
  single: boolean;
}

interface Found {
  line: Line;
  data: readonly Point[];
  index: number;
}

/** Screen positions of the nearest points, and the tip for them; undefined if there are none. */
export function hoverAt(
  chart: Chart<"line", Point[]>,
  lines: readonly (Line | undefined)[],
  x: number,
  y: number,
  { axis, timed, single }: Pointed,
): { x: number; lines: TipLine[] } | undefined {
  const { left, right, top, bottom } = chart.chartArea;
  if (x < left || x > right || y < top || y > bottom) return undefined;
  const shown = lines.flatMap((line, i) =>
    line && chart.isDatasetVisible(i) ? [{ line, data: chart.data.datasets[i]!.data }] : [],
  );
  const across = chart.scales["x"]!;
  if (single) {
    const found = nearest(chart, shown, x, y);
    return found && { x: across.getPixelForValue(found.data[found.index]!.x), lines: ofPoint(found, axis) };
  }
  const value = across.getValueForPixel(x)!;
  const found = shown.flatMap(({ line, data }): Found[] => {
    const index = indexAt(data, value, line.style === "steps");
    return index >= 0 && Number.isFinite(data[index]!.y) ? [{ line, data, index }] : [];
  });
  const [first] = found.toSorted((a, b) => apart(a, value) - apart(b, value));
  if (!first) return undefined;
  const at = first.data[first.index]!.x;
  const said = found.map(({ line, data, index }) => ({ text: `${line.name} ${amount(line, data[index]!.y)}`.trim(), colour: line.colour }));
  return { x: across.getPixelForValue(at), lines: [{ text: title(at, axis, timed) }, ...said] };
}

function apart({ data, index }: Found, value: number): number {
  return Math.abs(data[index]!.x - value);
}

/** The nearest point of a line ordered from left to right; for a step line, the last point before the pointer. */
function indexAt(data: readonly Point[], value: number, steps: boolean): number {
  let [low, high] = [0, data.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data[middle]!.x <= value) low = middle + 1;
    else high = middle;
  }
  if (steps || low === data.length) return low - 1;
  return low && value - data[low - 1]!.x < data[low]!.x - value ? low - 1 : low;
}

function nearest(
  chart: Chart<"line", Point[]>,
  shown: readonly { line: Line; data: readonly Point[] }[],
  x: number,
  y: number,
): Found | undefined {
  const [across, up] = [chart.scales["x"]!, chart.scales["y"]!];
  let [best, least]: [Found | undefined, number] = [undefined, NEAR];
  for (const { line, data } of shown) {
    data.forEach((point, index) => {
      const far = Math.hypot(across.getPixelForValue(point.x) - x, up.getPixelForValue(point.y) - y);
      if (far < least) [best, least] = [{ line, data, index }, far];
    });
  }
  return best;
}

function ofPoint({ line, data, index }: Found, axis: Axis): TipLine[] {
  const point = data[index]!;
  const said = line.texts[index];
  if (said !== undefined) return [{ text: said }, ...(line.name && line.name !== said ? [{ text: line.name, colour: line.colour }] : [])];
  return [{ text: line.name }, { text: `${title(point.x, axis, false)}, ${amount(line, point.y)}` }];
}

function title(value: number, { title: name, ticks }: Axis, timed: boolean): string {
  const tick = ticks.find(([at]) => at === value)?.[1];
  if (tick !== undefined) return tick;
  if (timed) return `${value.toFixed(3)} s`;
  return `${name}: ${Number(value.toPrecision(6))}`;
}

function amount({ decimals, unit }: Line, value: number): string {
  if (!Number.isFinite(value)) return "nothing";
  const number = unit === "%" ? (100 * value).toFixed(decimals) : decimals < 0 ? `${Number(value.toPrecision(5))}` : value.toFixed(decimals);
  return `${number}${unit && ` ${unit}`}`.replace(" %", "%");
}
