// What the server of a run that goes on sends; see `view/live/frames.py`.

import { POSE, type Scene } from "./scene";

/** An event that a button of the scenario raises. */
export interface Raised {
  event: string;
  arguments: Record<string, unknown>;
}

/** What comes with the scene. */
export interface LiveHeader {
  scene: Scene;
  /** When the run ends, in seconds, if that is known. */
  duration: number | null;
  /** Why it can be neither paused nor stepped; empty if it can. */
  not_held: string;
  /** The scenario's own buttons, by caption. */
  buttons: Record<string, Raised>;
}

export type Phase = "waiting" | "paused" | "running" | "over";

/** A state of the run; numbers that are not there are NaN. */
export interface State {
  phase: Phase;
  time: number;
  factor: number;
  lag: number;
  pace: number;
  /** For how long nothing has come of a live robot, in seconds; NaN if that is nothing unusual. */
  silent: number;
  poses: Float32Array;
  /** The model (index) responsible for each attribute. */
  owners: Int16Array;
}

/** Something that has happened. */
export interface Row {
  time: number;
  kind: "event" | "action" | "handover" | "note";
  name: string;
  text: string;
  entity: string;
  more: Record<string, string>;
}

export type Message =
  | { kind: "happened"; rows: Row[] }
  | { kind: "replied"; id: number; refused: string | null }
  | { kind: "over"; ended: string; text: string; deterministic: boolean; folder: string };

export const STATE = 1;
export const SCENE = 2;
const HEAD = 8;
const NUMBERS = 5;
const PHASES: Phase[] = ["waiting", "paused", "running", "over"];

/** What a binary message is. */
export function kindOf(data: ArrayBuffer): number {
  return new DataView(data).getUint32(0, true);
}

/** The block behind the head of a message with a scene. */
export function blockOf(data: ArrayBuffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(data, HEAD);
}

/** Read a state; `bodies` is how many the scene has. */
export function readState(data: ArrayBuffer, bodies: number): State {
  const view = new DataView(data);
  const [time = NaN, factor = NaN, lag = NaN, pace = NaN, silent = NaN] = new Float64Array(data, HEAD, NUMBERS);
  const poses = HEAD + 8 * NUMBERS;
  return {
    phase: PHASES[view.getUint32(4, true)] ?? "waiting",
    ...{ time, factor, lag, pace, silent },
    poses: new Float32Array(data, poses, POSE * bodies),
    owners: new Int16Array(data, poses + 4 * POSE * bodies),
  };
}
