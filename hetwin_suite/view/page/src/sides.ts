// Shows two runs with a common clock and camera, side by side, or one as a ghost in the other.

import { apartPlots } from "./apart";
import { rowsOf } from "./course";
import { button, make } from "./elements";
import type { Player } from "./player";
import { Timeline, type Marked } from "./timeline";

/** Comparison of the two runs of a page. */
export interface Comparison {
  /** Names of the runs. */
  names: string[];
  /** For each compared quantity, the time at which the runs first differ [s]. */
  first: Marked[];
  /** Whether the second run is initially drawn as a ghost in the first one. */
  ghost?: boolean;
}

/** Add the options for drawing two runs to their page, and their names. */
export function sides(player: Player, { names, ghost = false }: Comparison): HTMLElement {
  const { element } = player.stage;
  element.append(...names.map((name, run) => make("span", `hetwin-title run-${run}`, name)));
  const ways: [string, boolean][] = [
    ["Side by side", true],
    ["One in the other", false],
  ];
  const buttons = ways.map(([name, apart]) => button(name, () => draw(apart)));
  const draw = (apart: boolean): void => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", `${ways[i]![1] === apart}`));
    element.classList.toggle("apart", apart);
    player.casts.forEach((cast, run) => (cast.ghost = !apart && run > 0));
    player.stage.apart = apart;
    player.show(player.time);
  };
  draw(!ghost);
  return make("div", "hetwin-sides", ...buttons);
}

/** The time lines of all runs of a player, below each other and with the same time axis. */
export function timelines(player: Player, comparison?: Comparison): HTMLElement {
  const place = make("div", "hetwin-course");
  const { start, end } = player;
  const seek = (time: number): void => player.seek(time);
  player.films.forEach((film, run) => {
    const element = make("div");
    const timeline = new Timeline(element, [start, end], { seek, marks: comparison?.first ?? [] });
    timeline.draw(rowsOf({ ...film.header, start, end }));
    if (comparison) place.append(make("h3", "", comparison.names[run] ?? ""));
    place.append(element);
    player.onTime.push((time) => timeline.show(time));
  });
  const apart = apartPlots(player.films, start, end, seek);
  if (apart.length) place.append(make("div", "hetwin-timeline", ...apart));
  return place;
}

/** The comparison of the two runs of the page; undefined if it has one run. */
export function comparisonOf(page: Document): Comparison | undefined {
  const told = page.getElementById("hetwin-comparison")?.textContent;
  return told ? (JSON.parse(told) as Comparison) : undefined;
}
