// Adds the player and its controls to a page that contains films, and the public interface `window.hetwin`.

import { interesting } from "./cast";
import { choices } from "./choices";
import { button, make } from "./elements";
import { readFilm, type Film } from "./film";
import { Player } from "./player";
import { join } from "./report";
import { comparisonOf, sides, timelines } from "./sides";
import { Stage } from "./stage";

/** Public interface of the page of a finished run. */
export interface Offered {
  /** True once the scene has been drawn; until then a promise of it. */
  readonly ready: true | Promise<true>;
  /** The drawn time [s]. */
  readonly time: number;
  /** Go to the state nearest to a time; the promise is fulfilled when the state has been drawn. */
  seek(seconds: number): Promise<void>;
  /** Drawn pose, x y z qx qy qz qw. */
  pose(entity: string, run?: number): number[] | undefined;
  /** Drawn bounding box, minimum and maximum x y z. */
  extent(entity: string, run?: number): number[] | undefined;
  /** Drawn colour, as #rrggbb. */
  colour(entity: string, run?: number): string | undefined;
  /** Position of the camera (x y z), and the point it looks at (x y z). */
  readonly camera: number[];
}

declare global {
  interface Window {
    hetwin?: Offered;
  }
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

/** Start the player of the page, if it has one. */
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
  const canvas = make("div", "hetwin-canvas");
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

function controls(player: Player): HTMLElement {
  const play = button("", () => (player.playing ? player.pause() : player.play()));
  const slider = make("input");
  Object.assign(slider, { type: "range", min: `${player.start}`, max: `${player.end}`, step: "any" });
  slider.setAttribute("aria-label", "Time");
  const label = make("output");
  const speed = make("select");
  speed.setAttribute("aria-label", "Speed");
  for (const x of SPEEDS) speed.add(new Option(`${x}×`, `${x}`, false, x === 1));
  slider.addEventListener("input", () => player.seek(Number(slider.value)));
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  const tell = (time: number): void => {
    play.textContent = player.playing ? "Pause" : "Play";
    slider.value = `${time}`;
    label.textContent = `${time.toFixed(2)} s`;
  };
  player.onTime.push(tell);
  tell(player.time);
  return make("div", "hetwin-controls", play, slider, label, speed);
}
