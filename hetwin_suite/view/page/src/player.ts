// Plays one or several films with one clock.

import type { Cast } from "./cast";
import { Cloud } from "./clouds";
import type { Film } from "./film";
import type { Stage } from "./stage";

/** Plays one film, or several with one clock. */
export class Player {
  readonly casts: Cast[];
  /** Called with the new time after each change. */
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

  /** Draw everything as it was at a time. */
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

  /** Stop playing, and show the state nearest to a time. */
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

