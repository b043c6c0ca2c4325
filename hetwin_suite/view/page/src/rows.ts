// Figures with rows of bars over time, such as tasks and states.

import { make } from "./elements";
import type { RowsFigure } from "./figure";
import { legend } from "./legend";
import { pageTime } from "./shared_time";
import { Timeline, type Bar } from "./timeline";

/** Width of a letter of a row's name, and maximum width of names [rem]. */
const LETTER = 0.42;
const WIDEST = 17;

/** Draw the rows like the time line of a run; dragging zooms all plots over the same time. */
export function drawRows(place: HTMLElement, { rows, bars, span, tints, marks }: RowsFigure): void {
  const element = make("div");
  const drawn = rows.map((name) => ({ name, bars: [] as Bar[], dots: [], under: [] }));
  for (const bar of bars) drawn[bar.row]!.bars.push(bar);
  const line = new Timeline(element, span, {
    seek: (time) => pageTime.seek(time),
    zoom: (part) => pageTime.zoom(span, part),
    ...{ tints, lines: marks },
  });
  const longest = Math.max(0, ...rows.map((name) => name.length));
  element.style.setProperty("--wanted", `${Math.min(WIDEST, 1 + LETTER * longest)}rem`);
  line.draw(drawn);
  line.zoom(...pageTime.partOf(span));
  line.show(pageTime.time);
  pageTime.onTime.push((time) => line.show(time));
  pageTime.onZoom.push((whole, part) => {
    if (`${whole}` !== `${span}`) return;
    line.zoom(...part);
    line.show(pageTime.time);
  });
  const named = bars.flatMap(({ kind, colour }) => (kind ? [{ name: kind, colour }] : []));
  const names = legend(named, (hidden) => line.hide(hidden));
  place.replaceChildren(element, ...(named.length ? [names] : []));
  place.style.minHeight = "";
}
