// Moments that stand out in all rows of a time line, each one click away.

import type { Timeline } from "./timeline";

/** A moment that is marked. */
export interface Marked {
  time: number;
  text: string;
}

/** Mark moments in a time line; they follow it when it shows another part of the time. */
export function mark(timeline: Timeline, moments: readonly Marked[]): void {
  for (const { time, text } of moments) {
    const line = document.createElement("button");
    line.type = "button";
    line.className = "mark";
    line.title = `${time.toFixed(3)} s: ${text}`;
    line.setAttribute("aria-label", line.title);
    line.dataset["time"] = `${time}`;
    line.style.setProperty("--mark", `${timeline.share(time)}`);
    // The pointer is handled for the whole time line; this is for the keyboard.
    line.addEventListener("click", (event) => event.detail || timeline.seek(time));
    timeline.element.append(line);
  }
}
