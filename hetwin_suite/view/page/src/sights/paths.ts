// Shows the paths of objects; bold up to the current time.

import { BufferGeometry, Group, Line, LineBasicMaterial, Vector3 } from "three";
import type { Film } from "../film";
import { POSE } from "../scene";
import type { Sight } from "./sight";

const COLOUR = "#d6336c";
const MOVED_M = 0.005;

interface Place {
  time: number;
  place: Vector3;
}

export class Paths implements Sight {
  readonly name = "Paths of objects";
  readonly object = new Group();
  readonly #lines: { times: number[]; gone: Line }[] = [];

  constructor(film: Film) {
    for (const way of waysOf(film)) {
      const whole = new BufferGeometry().setFromPoints(way.map(({ place }) => place));
      const faint = new LineBasicMaterial({ color: COLOUR, transparent: true, opacity: 0.35 });
      const gone = new Line(whole.clone(), new LineBasicMaterial({ color: COLOUR }));
      this.object.add(new Line(whole, faint), gone);
      this.#lines.push({ times: way.map(({ time }) => time), gone });
    }
  }

  get empty(): boolean {
    return !this.#lines.length;
  }

  update(time: number): void {
    for (const { times, gone } of this.#lines) {
      gone.geometry.setDrawRange(0, times.filter((at) => at <= time + 1e-6).length);
    }
  }
}

/** The positions of each object that moves, without those that hardly differ from the previous one. */
function waysOf(film: Film): Place[][] {
  const { bodies } = film.scene;
  const objects = film.header.moving.filter((body) => bodies[body]!.kind === "object");
  const ways = objects.map((): Place[] => []);
  const poses = new Float32Array(bodies.length * POSE);
  for (const time of film.times) {
    film.posesAt(time, poses);
    objects.forEach((body, i) => {
      const place = new Vector3().fromArray(poses, body * POSE);
      const last = ways[i]!.at(-1);
      if (Number.isFinite(place.x) && !(last && last.place.distanceTo(place) < MOVED_M)) ways[i]!.push({ time, place });
    });
  }
  return ways.filter((way) => way.length > 1);
}
