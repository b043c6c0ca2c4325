// Two runs with one clock and one camera: beside each other, or one as a ghost in the other.

import { apartPlots } from "./apart";
import { mark, type Marked } from "./marks";
import type { Player } from "./player";
import { Timeline } from "./timeline";

/** What a page says of the comparison of its two runs. */
export interface Comparison {
  /** What the runs are called. */
  names: string[];
  /** Where they first part, by what; in seconds. */
  first: Marked[];
  /** Whether the other run is drawn as a ghost in the first one at first. */
  ghost?: boolean;
}

/** Add to a page with two runs how they are drawn, and their names. */
export function sides(player: Player, { names, ghost = false }: Comparison): HTMLElement {
  const row = document.createElement("div");
  row.className = "hetwin-sides";
  const { element } = player.stage;
  const titles = names.map((name, run) => {
    const title = document.createElement("span");
    title.className = `hetwin-title run-${run}`;
    title.textContent = name;
    return title;
  });
  element.append(...titles);
  const ways: [string, boolean][] = [
    ["Side by side", true],
    ["One in the other", false],
  ];
  const buttons = ways.map(([name, apart]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => draw(apart));
    return button;
  });
  const draw = (apart: boolean): void => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", `${ways[i]![1] === apart}`));
    element.classList.toggle("apart", apart);
    player.casts.forEach((cast, run) => (cast.ghost = !apart && run > 0));
    player.stage.apart = apart;
    player.show(player.time);
  };
  draw(!ghost);
  row.append(...buttons);
  return row;
}

/** The time lines of all runs of a player below each other, over the same time. */
export function timelines(player: Player, comparison?: Comparison): HTMLElement {
  const place = document.createElement("div");
  place.className = "hetwin-course";
  const { start, end } = player;
  const seek = (time: number): void => player.seek(time);
  player.films.forEach((film, run) => {
    const element = document.createElement("div");
    const timeline = new Timeline(element, { ...film.header, start, end }, seek);
    if (comparison) {
      const title = document.createElement("h3");
      title.textContent = comparison.names[run] ?? "";
      place.append(title);
      mark(timeline, comparison.first);
    }
    place.append(element);
    player.onTime.push((time) => timeline.show(time));
  });
  const apart = apartPlots(player.films, start, end, seek);
  if (apart.length) {
    const plots = document.createElement("div");
    plots.className = "hetwin-timeline";
    plots.append(...apart);
    place.append(plots);
  }
  return place;
}

/** What the page says of the comparison of its two runs; undefined if it has one run. */
export function comparisonOf(page: Document): Comparison | undefined {
  const told = page.getElementById("hetwin-comparison")?.textContent;
  return told ? (JSON.parse(told) as Comparison) : undefined;
}
