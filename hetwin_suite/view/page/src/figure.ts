// Types of the figures in a page; see `view/figures.py`.

import type { Range } from "./shared_time";
import type { Bar } from "./timeline";

/** The element that a figure is drawn in. */
export interface Point {
  x: number;
  y: number;
}

/** A line of a chart. Arrays are given by their index, colours as #rrggbb. */
export interface Line {
  name: string;
  x: number;
  y: number;
  /** Edges of a band around the line. */
  low: number | null;
  high: number | null;
  colour: string;
  unit: string;
  decimals: number;
  style: "solid" | "dotted" | "steps" | "none";
  width: number;
  opacity: number;
  /** Markers of the points, one for each or one for all; empty for none. */
  points: ("circle" | "hollow" | "cross")[];
  /** Descriptions of the points. */
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
  /** The whole time range of the horizontal axis; null if this axis is not time. */
  span: Range | null;
  panels: Panel[];
  /** Dotted vertical lines across all panels, and horizontal lines at values. */
  marks: number[];
  levels: number[];
  /** Whether both axes have the same scale. */
  equal: boolean;
  /** Whether the tip at the pointer describes one point, or the values of all lines. */
  single: boolean;
  legend: boolean;
}

/** A figure with rows of bars over time. */
export interface RowsFigure {
  kind: "rows";
  span: Range;
  rows: string[];
  /** Bars, each with the index of its row and its name in the legend, if it has one. */
  bars: (Bar & { row: number })[];
  tints: [number, number, string][];
  marks: number[];
}

export type Figure = ChartFigure | RowsFigure;
