// Shows the time and speed of a run; for a live robot also the delay of the twin, and whether the robot is silent.

import { make } from "./elements";
import type { Row, State } from "./messages";

/** The line with these numbers. */
export class Numbers {
  readonly element = make("span", "numbers");
  #silent = NaN;
  #gaps = 0;
  #longest = 0;

  /** `say` is called when a message arrives from a robot that was silent. */
  constructor(readonly say: (row: Row) => void) {}

  show(state: State, over: boolean): void {
    this.#count(state);
    const parts = [make("b", "", `${state.time.toFixed(2)} s`)];
    const add = (text: string, bad = ""): unknown => parts.push(make("span", bad, text));
    if (over) add("over");
    else if (state.phase === "paused") add("paused");
    else if (!Number.isNaN(state.factor)) add(`${state.factor.toFixed(2)} × real time`);
    if (!Number.isNaN(state.lag)) add(`${(1000 * state.lag).toFixed(0)} ms behind the robot`);
    if (!over && !Number.isNaN(state.silent)) add(`nothing from the robot for ${state.silent.toFixed(1)} s`, "bad");
    if (this.#gaps) add(`${this.#gaps} ${this.#gaps === 1 ? "gap" : "gaps"}, at most ${this.#longest.toFixed(1)} s`);
    this.element.replaceChildren(...parts);
  }

  #count({ silent, time }: State): void {
    if (Number.isNaN(silent) && !Number.isNaN(this.#silent)) {
      this.#gaps += 1;
      this.#longest = Math.max(this.#longest, this.#silent);
      const text = `nothing came from the robot for ${this.#silent.toFixed(1)} s`;
      this.say({ time, kind: "note", name: "gap", text, entity: "", more: {} });
    }
    this.#silent = silent;
  }
}
