// Controls of a run in progress: pause, step, set the pace, and hand over responsibilities.

import { button, make } from "./elements";
import type { Phase, Raised, State } from "./messages";
import type { Scene } from "./scene";

/** A request to the run, without its number. */
export type Deed =
  | { do: "pause" | "go_on" }
  | { do: "step"; steps: number | null }
  | { do: "pace"; factor: number | null }
  | { do: "hand_over"; entity: string; attribute: string; model: string }
  | ({ do: "raise" } & Raised);

export type Ask = (deed: Deed, what: string) => void;

const PACES = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const UNHELD = "as fast as it goes";
/** Number of rows above which there is a search field. */
const MANY = 8;

/** The buttons that pause, resume and step the run. */
export class Holding {
  readonly element = make("span", "holding");
  readonly #pause: HTMLButtonElement;
  readonly #paused: HTMLButtonElement[];
  readonly #pace = make("select");
  #notHeld = "";

  constructor(ask: Ask) {
    this.#pause = button("Pause", () => ask({ do: "pause" }, "Pause"));
    this.#paused = [
      button("Go on", () => ask({ do: "go_on" }, "Go on")),
      button("Step 1", () => ask({ do: "step", steps: 1 }, "Step 1")),
      button("Step 40", () => ask({ do: "step", steps: 40 }, "Step 40")),
      button("Step to next event", () => ask({ do: "step", steps: null }, "Step to next event")),
    ];
    this.#pace.setAttribute("aria-label", "Pace");
    this.#pace.append(new Option(UNHELD, ""), ...PACES.map((x) => new Option(`${x} × real time`, `${x}`)));
    this.#pace.addEventListener("change", () => {
      ask({ do: "pace", factor: Number(this.#pace.value) || null }, "Pace");
    });
    this.element.append(this.#pause, ...this.#paused, this.#pace);
    this.show("waiting", NaN);
  }

  /** Why the run cannot be paused or stepped; empty if it can. */
  set notHeld(reason: string) {
    this.#notHeld = reason;
    this.element.title = reason;
  }

  show(phase: Phase, pace: number): void {
    const held = this.#notHeld === "";
    this.#pause.disabled = !held || phase !== "running";
    for (const one of this.#paused) one.disabled = !held || phase !== "paused";
    this.#pace.disabled = !held || phase === "waiting" || phase === "over";
    if (document.activeElement === this.#pace) return;
    const value = Number.isNaN(pace) ? "" : `${pace}`;
    if (![...this.#pace.options].some((option) => option.value === value)) {
      this.#pace.add(new Option(`${value} × real time`, value));
    }
    if (this.#pace.value !== value) this.#pace.value = value;
  }
}

interface Choice {
  attribute: number;
  /** Buttons by the index of the model. */
  buttons: Map<number, HTMLButtonElement>;
  row: HTMLElement;
  owner: number;
}

/** A row for each attribute of an object that several models can be responsible for, with a button for each model. */
export class Owners {
  readonly element = make("div", "card owners");
  readonly #choices: Choice[] = [];

  constructor(scene: Scene, ask: Ask) {
    const objects = new Set(scene.bodies.filter((body) => body.kind === "object").map((body) => body.name));
    this.element.append(make("h2", "", "Responsible"));
    scene.attributes.forEach(({ entity, attribute, candidates }, slot) => {
      if (candidates.length < 2 || !objects.has(entity)) return;
      const name = `${entity}.${attribute}`;
      const buttons = new Map(
        candidates.map((i) => {
          const model = scene.models[i]!;
          const one = button(model.name, () => {
            if (one.getAttribute("aria-pressed") === "true") return;
            ask({ do: "hand_over", entity, attribute, model: model.name }, name);
          });
          one.style.setProperty("--mark", model.colour);
          return [i, one] as const;
        }),
      );
      const row = make("section", "", make("h3", "", name), make("div", "", ...buttons.values()));
      row.setAttribute("aria-label", name);
      this.#choices.push({ attribute: slot, buttons, row, owner: -1 });
    });
    if (!this.#choices.length) this.element.append("No attribute of an object has a choice of models.");
    if (this.#choices.length > MANY) this.element.append(this.#search());
    this.element.append(...this.#choices.map((choice) => choice.row));
  }

  show(state: State): void {
    for (const choice of this.#choices) {
      const owner = state.owners[choice.attribute] ?? -1;
      if (owner === choice.owner) continue;
      choice.owner = owner;
      for (const [model, one] of choice.buttons) one.setAttribute("aria-pressed", `${model === owner}`);
    }
  }

  /** The run is over. */
  end(): void {
    for (const { buttons } of this.#choices) for (const one of buttons.values()) one.disabled = true;
  }

  #search(): HTMLElement {
    const field = make("input");
    Object.assign(field, { type: "search", placeholder: "find an object" });
    field.setAttribute("aria-label", "Find an object");
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      for (const { row } of this.#choices) row.hidden = !row.ariaLabel!.toLowerCase().includes(wanted);
    });
    return field;
  }
}

/** The buttons defined by the scenario. */
export class Raising {
  readonly element = make("div", "card raising");
  readonly #buttons: HTMLButtonElement[];

  constructor(raised: Record<string, Raised>, ask: Ask) {
    this.#buttons = Object.entries(raised).map(([name, event]) => button(name, () => ask({ do: "raise", ...event }, name)));
    this.element.append(...this.#buttons);
    this.element.hidden = !this.#buttons.length;
  }

  /** The run is over. */
  end(): void {
    for (const one of this.#buttons) one.disabled = true;
  }
}
