// Plots of the distance between the positions of an object in two runs, over time.

import { make } from "./elements";
import type { Film } from "./film";
import { POSE } from "./scene";

const SAMPLES = 400;
const MAX_PLOTS = 3;
/** Objects whose maximum distance is smaller are not shown [m]. */
const MIN_M = 0.005;
const HEIGHT = 44;

interface Distance {
  name: string;
  /** Distance at equal time steps [m]; NaN where the object has no position in one of the runs. */
  metres: number[];
  most: number;
}

/** Plots for the objects with the largest distances, in rows like those of a time line; a click goes to its time. */
export function apartPlots(films: readonly Film[], start: number, end: number, seek: (time: number) => void): HTMLElement[] {
  return distances(films, start, end).map(({ name, metres, most }) => {
    const points = metres
      .map((metre, i) => ({ x: (100 * i) / SAMPLES, y: HEIGHT - 2 - ((HEIGHT - 6) * metre) / most }))
      .filter(({ y }) => Number.isFinite(y))
      .map(({ x, y }) => `${x.toFixed(2)},${y.toFixed(2)}`);
    const track = make("div", "track", polyline(points), make("span", "most", `${(1000 * most).toFixed(0)} mm`));
    track.title = `${name}: up to ${(1000 * most).toFixed(0)} mm apart`;
    track.addEventListener("pointerdown", ({ clientX }) => {
      const { left, width } = track.getBoundingClientRect();
      seek(start + (Math.min(1, Math.max(0, (clientX - left) / width)) || 0) * (end - start));
    });
    return make("div", "row apart", make("div", "name", `${name} apart`), track);
  });
}

function polyline(points: readonly string[]): SVGElement {
  const [svg, line] = (["svg", "polyline"] as const).map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
  svg!.setAttribute("viewBox", `0 0 100 ${HEIGHT}`);
  svg!.setAttribute("preserveAspectRatio", "none");
  line!.setAttribute("points", points.join(" "));
  svg!.append(line!);
  return svg as SVGElement;
}

function distances(films: readonly Film[], start: number, end: number): Distance[] {
  const [here, there] = films;
  if (!here || !there) return [];
  const until = Math.min(here.header.end, there.header.end);
  const numbers = new Map(there.scene.bodies.map(({ name }, i) => [name, i]));
  const both = here.scene.bodies.flatMap(({ name, kind }, i) => {
    const j = numbers.get(name);
    return kind === "object" && j !== undefined ? [{ name, i, j, metres: [] as number[] }] : [];
  });
  for (let sample = 0; sample <= SAMPLES; sample++) {
    const time = start + ((end - start) * sample) / SAMPLES;
    const [one, other] = [here.posesAt(time), there.posesAt(time)];
    for (const { i, j, metres } of both) {
      const axes = [0, 1, 2].map((axis) => one[i * POSE + axis]! - other[j * POSE + axis]!);
      metres.push(time > until ? NaN : Math.hypot(...axes));
    }
  }
  return both
    .map(({ name, metres }) => ({ name, metres, most: Math.max(0, ...metres.filter(Number.isFinite)) }))
    .filter(({ most }) => most > MIN_M)
    .sort((a, b) => b.most - a.most)
    .slice(0, MAX_PLOTS);
}
