// Figures as a page holds them; see `view/figures.py`.

import type { Range } from "./shared_time";
import type { Bar } from "./timeline";

/** Where something is drawn. */
export interface Point {
  x: number;
  y: number;
}

/** A line of a chart. Arrays are given by their numbers, and colours as #rrggbb. */
export interface Line {
  name: string;
  x: number;
  y: number;
  /** Edges of a band around it. */
  low: number | null;
  high: number | null;
  colour: string;
  unit: string;
  decimals: number;
  style: "solid" | "dotted" | "steps" | "none";
  width: number;
  opacity: number;
  /** How its points are drawn, each or all of them; none if empty. */
  points: ("circle" | "hollow" | "cross")[];
  /** What is said of its points. */
  texts: string[];
}

export interface Axis {
  title: string;
  range: [number, number] | null;
  percent: boolean;
  from_zero: boolean;
  ticks: [number, string][];
}

export interface Panel {
  title: string;
  y: Axis;
  lines: Line[];
  tints: [number, number, string][];
  share: number;
}

export interface ChartFigure {
  kind: "chart";
  height: number;
  x: Axis;
  /** The whole range of the time that is across; null if that is not time. */
  span: Range | null;
  panels: Panel[];
  /** Dotted lines across all panels, and at values. */
  marks: number[];
  levels: number[];
  /** Whether both axes have the same scale. */
  equal: boolean;
  /** Whether the pointer is shown one point, or what all lines have there. */
  single: boolean;
  legend: boolean;
}

/** Rows of bars over time. */
export interface RowsFigure {
  kind: "rows";
  span: Range;
  rows: string[];
  /** Each with the number of its row, and under which name it is in the legend, if any. */
  bars: (Bar & { row: number })[];
  tints: [number, number, string][];
  marks: number[];
}

export type Figure = ChartFigure | RowsFigure;
