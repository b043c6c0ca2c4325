// Plays films: a clock, a slider, a button; and what others can rely on, `window.hetwin`.

import { Box3, Vector3 } from "three";
import type { Cast } from "./cast";
import { Cloud } from "./clouds";
import { join } from "./report";
import { readFilm, type Film } from "./film";
import { choices } from "./choices";
import { comparisonOf, sides, timelines } from "./sides";
import { addLook } from "./look";
import { Stage } from "./stage";

/** What a page of a finished run offers to others. */
export interface Offered {
  /** True once the scene was drawn; before that a promise of it. */
  readonly ready: true | Promise<true>;
  /** The time that is drawn, in seconds. */
  readonly time: number;
  /** Go to the state nearest to a time; kept when it is drawn. */
  seek(seconds: number): Promise<void>;
  /** x y z qx qy qz qw as drawn. */
  pose(entity: string, run?: number): number[] | undefined;
  /** The lowest and the highest x y z of what is drawn of it. */
  extent(entity: string, run?: number): number[] | undefined;
  /** #rrggbb as drawn. */
  colour(entity: string, run?: number): string | undefined;
  /** From where one looks (x y z), and at what (x y z). */
  readonly camera: number[];
}

declare global {
  interface Window {
    hetwin?: Offered;
  }
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

/** Plays one film, or several with one clock. */
export class Player {
  readonly casts: Cast[];
  /** Called with the time after each change of it. */
  readonly onTime: ((time: number) => void)[] = [];
  readonly start: number;
  readonly end: number;
  time: number;
  speed = 1;
  #playing = false;
  readonly #clouds: Cloud[][];

  constructor(
    readonly stage: Stage,
    readonly films: Film[],
  ) {
    this.casts = films.map((film) => stage.add(film.scene, film.block));
    this.start = Math.min(...films.map((film) => film.header.start));
    this.end = Math.max(...films.map((film) => film.header.end));
    this.time = this.start;
    this.#clouds = films.map((film, run) =>
      film.header.clouds.flatMap((header) => {
        const figure = this.casts[run]!.figures[header.body];
        return figure ? [new Cloud(header, film.block, figure.frame)] : [];
      }),
    );
  }

  get playing(): boolean {
    return this.#playing;
  }

  /** Put everything where it was at a time, and draw it. */
  show(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.films.forEach((film, run) => {
      this.casts[run]!.pose(film.posesAt(this.time));
      this.casts[run]!.own(film.poseOwnersAt(this.time));
      for (const cloud of this.#clouds[run]!) cloud.show(film.nearest(this.time));
    });
    for (const tell of this.onTime) tell(this.time);
    this.stage.draw();
  }

  /** Stop, and show the state nearest to a time. */
  seek(time: number): void {
    this.pause();
    const film = this.films[0]!;
    this.show(film.times[film.nearest(time)] ?? time);
  }

  play(): void {
    if (this.#playing) return;
    if (this.time >= this.end) this.show(this.start);
    this.#playing = true;
    let last = performance.now();
    const go = (now: number): void => {
      if (!this.#playing) return;
      this.show(this.time + Math.max(0, (now - last) / 1000) * this.speed);
      last = now;
      if (this.time >= this.end) this.pause();
      else requestAnimationFrame(go);
    };
    requestAnimationFrame(go);
    for (const tell of this.onTime) tell(this.time);
  }

  pause(): void {
    this.#playing = false;
    for (const tell of this.onTime) tell(this.time);
  }
}

/** Start the player that the page holds, if it holds one. */
export function playAll(): void {
  const place = document.querySelector<HTMLElement>("[data-hetwin-films]");
  if (!place) return;
  const ids = place.dataset["hetwinFilms"]!.split(" ");
  let ready = false;
  const started = Promise.all(ids.map((id) => readFilm(document.getElementById(id)!.textContent)))
    .then((films) => begin(place, films))
    .then((player) => {
      ready = true;
      return player;
    });
  let player: Player | undefined;
  void started.then((it) => (player = it));
  window.hetwin = {
    get ready() {
      return ready || started.then(() => true as const);
    },
    get time() {
      return player?.time ?? NaN;
    },
    seek: async (seconds) => (await started).seek(seconds),
    pose: (entity, run = 0) => player?.casts[run]?.poseOf(entity),
    extent: (entity, run = 0) => player?.casts[run]?.extentOf(entity),
    colour: (entity, run = 0) => player?.casts[run]?.colourOf(entity),
    get camera() {
      return player ? [...player.stage.camera.position.toArray(), ...player.stage.controls.target.toArray()] : [];
    },
  };
}

function begin(place: HTMLElement, films: Film[]): Player {
  addLook();
  const canvas = document.createElement("div");
  canvas.className = "hetwin-canvas";
  place.append(canvas);
  const stage = new Stage(canvas);
  const player = new Player(stage, films);
  place.append(controls(player), choices(player));
  const comparison = comparisonOf(document);
  if (comparison) place.append(sides(player, comparison));
  if (place.dataset["hetwinCourse"] !== undefined) place.append(timelines(player, comparison));
  player.show(player.start);
  stage.look(interesting(player.casts));
  stage.draw();
  join(player, place);
  return player;
}

/** The box around what one wants to see: all objects and links that are drawn. */
export function interesting(casts: Cast[]): Box3 {
  const box = new Box3();
  for (const cast of casts) {
    for (const { body, frame, pieces } of cast.figures) {
      if (body.kind === "static" || !frame.visible) continue;
      for (const { part, mesh } of pieces) if (part.drawn) box.expandByObject(mesh);
      if (body.kind === "link") box.expandByPoint(frame.getWorldPosition(new Vector3()));
    }
  }
  return box;
}

function controls(player: Player): HTMLElement {
  const row = document.createElement("div");
  row.className = "hetwin-controls";
  const button = document.createElement("button");
  button.type = "button";
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: `${player.start}`, max: `${player.end}`, step: "any" });
  slider.setAttribute("aria-label", "Time");
  const label = document.createElement("output");
  const speed = document.createElement("select");
  speed.setAttribute("aria-label", "Speed");
  for (const x of SPEEDS) speed.add(new Option(`${x}×`, `${x}`, false, x === 1));
  button.addEventListener("click", () => (player.playing ? player.pause() : player.play()));
  slider.addEventListener("input", () => player.seek(Number(slider.value)));
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  const tell = (time: number): void => {
    button.textContent = player.playing ? "Pause" : "Play";
    slider.value = `${time}`;
    label.textContent = `${time.toFixed(2)} s`;
  };
  player.onTime.push(tell);
  tell(player.time);
  row.append(button, slider, label, speed);
  return row;
}
