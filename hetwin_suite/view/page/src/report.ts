// Connects the player of a page with its time line, links to times, lists of happenings, and plots.

import { rowsOf } from "./course";
import { make } from "./elements";
import type { Player } from "./player";
import { pageTime } from "./shared_time";
import { Timeline } from "./timeline";

/** Happenings within this interval are described together, up to a maximum number. */
const TOGETHER_S = 0.03;
const MAX_TOGETHER = 3;

/** Connect the parts of a page with its player. */
export function join(player: Player, place: HTMLElement): void {
  const caption = make("p", "hetwin-caption");
  place.append(caption);
  const timeline = timelineOf(player);
  const links = [...document.querySelectorAll<HTMLElement>("button.place[data-time]")];
  player.onTime.push((time) => {
    timeline?.show(time);
    caption.replaceChildren(...said(player, time));
    const last = links.findLast((link) => Number(link.dataset["time"]) <= time + 1e-6);
    for (const link of links) link.setAttribute("aria-pressed", `${link === last}`);
    pageTime.show(time);
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("a.time, button.place, button.go");
    if (!link) return;
    event.preventDefault();
    player.seek(Number(link.dataset["time"]));
    if (link.matches("a.time")) place.scrollIntoView({ block: "nearest", behavior: "smooth" });
  });
  pageTime.onSeek.push((time) => player.seek(time));
  const first = linkedTime() ?? place.dataset["hetwinTime"];
  if (first !== undefined) player.show(Number(first));
}

/** The time [s] in a link to the page, such as `report.html#t=5.2`. */
function linkedTime(): string | undefined {
  const named = new URLSearchParams(location.hash.slice(1)).get("t");
  return named !== null && Number.isFinite(Number(named)) ? named : undefined;
}

/** Draw the time line of the first run, if the page has an element for it. */
function timelineOf(player: Player): Timeline | undefined {
  const place = document.querySelector<HTMLElement>("[data-hetwin-timeline]");
  const film = player.films[0];
  if (!place || !film) return undefined;
  const timeline = new Timeline(place, [player.start, player.end], { seek: (time) => player.seek(time) });
  timeline.draw(rowsOf(film.header));
  pageTime.onZoom.push((_, part) => {
    timeline.zoom(...part);
    timeline.show(player.time);
  });
  return timeline;
}

/** Description of the latest happening and of the current actions. */
function said(player: Player, time: number): (Node | string)[] {
  const { happenings, doings } = player.films[0]!.header;
  const before = happenings.filter((one) => one.kind !== "action" && one.time <= time + 1e-6);
  const last = before.at(-1);
  const together = last ? before.filter((one) => one.time > last.time - TOGETHER_S) : [];
  const now = doings.filter((one) => (one.lane ?? "actions") === "actions" && one.begin <= time && time < one.end);
  const doing = make("span", "", [...new Set(now.map((one) => one.name.replaceAll("_", " ")))].join(", "));
  const words = last ? `${last.time.toFixed(2)} s: ${[...new Set(together.map((one) => one.text))].slice(0, MAX_TOGETHER).join("; ")}` : "";
  return doing.textContent ? [words, doing] : [words];
}
