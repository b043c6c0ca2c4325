// The figures of a page: charts and rows of bars; each is drawn when it is scrolled near the visible part of the page.

import { fromBase64 } from "./block";
import { drawChart } from "./charts";
import type { Figure } from "./figure";
import { drawRows } from "./rows";

/** The figures in a page; they refer to arrays of float32 by index. */
interface Figures {
  arrays: string[];
  figures: Figure[];
}

const NEAR = "500px";

/** Draw the figures of the page one after another; drawing all at once would block the page. */
export function drawFigures(): void {
  const told = document.getElementById("figures")?.textContent;
  if (!told) return;
  const { arrays, figures } = JSON.parse(told) as Figures;
  const read = new Map<number, Float32Array>();
  const numbers = (index: number): Float32Array => {
    if (!read.has(index)) read.set(index, new Float32Array(fromBase64(arrays[index]!).buffer));
    return read.get(index)!;
  };
  const waiting = new Set(document.querySelectorAll<HTMLElement>(".plot[data-figure]"));
  const begin = (place: HTMLElement): void => {
    near.unobserve(place);
    if (!waiting.delete(place)) return;
    const figure = figures[Number(place.dataset["figure"])]!;
    if (figure.kind === "chart") drawChart(place, figure, numbers);
    else drawRows(place, figure);
  };
  const near = new IntersectionObserver(
    (seen) => {
      for (const one of seen) if (one.isIntersecting) begin(one.target as HTMLElement);
    },
    { rootMargin: NEAR },
  );
  for (const place of waiting) near.observe(place);
  addEventListener("beforeprint", () => waiting.forEach(begin));
}
