// Messages from the server of a run in progress; see `view/live/frames.py`.

import { POSE, type Scene } from "./scene";

/** An event that is raised by a button of the scenario. */
export interface Raised {
  event: string;
  arguments: Record<string, unknown>;
}

/** The header of the message with the scene. */
export interface LiveHeader {
  scene: Scene;
  /** End of the run [s], if known. */
  duration: number | null;
  /** Why the run cannot be paused or stepped; empty if it can. */
  not_held: string;
  /** Buttons defined by the scenario, by caption. */
  buttons: Record<string, Raised>;
}

export type Phase = "waiting" | "paused" | "running" | "over";

/** A state of the run; missing numbers are NaN. */
export interface State {
  phase: Phase;
  time: number;
  factor: number;
  lag: number;
  pace: number;
  /** Time since the last message from a live robot [s]; NaN if it is not unusually long. */
  silent: number;
  poses: Float32Array;
  /** Index of the model responsible for each attribute. */
  owners: Int16Array;
}

/** A happening. */
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

/** The type of a binary message. */
export function kindOf(data: ArrayBuffer): number {
  return new DataView(data).getUint32(0, true);
}

/** The block in a message with a scene. */
export function blockOf(data: ArrayBuffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(data, HEAD);
}

/** Read a state; `bodies` is the number of bodies in the scene. */
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
