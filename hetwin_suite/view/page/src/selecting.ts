// Selects a part of a drawing by dragging; clicks and double clicks are distinguished from that.

import { make } from "./elements";
import { hideTip } from "./tip";

/** A rectangle in pixels of the element. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Selecting {
  /** The area in which one can select. */
  area(): Box;
  selected(box: Box): void;
  clicked(x: number): void;
  /** Called by a double click, to show everything again. */
  reset(): void;
}

/** A shorter drag is a click, or a selection along one axis only. */
const MIN_DRAG = 5;
const ONE_AXIS = 18;

/** Let a user select in an element; dragging with a finger scrolls the page instead. */
export function selectIn(element: HTMLElement, { area, selected, clicked, reset }: Selecting): void {
  let from: [number, number] | undefined;
  const shade = make("div", "hetwin-selection");
  const place = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const { left, top } = element.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  const boxTo = ([x, y]: [number, number]): Box => {
    const [{ left, top, right, bottom }, [x0, y0]] = [area(), from!];
    const [a, b] = [Math.max(left, Math.min(x0, x)), Math.min(right, Math.max(x0, x))];
    const [c, d] = [Math.max(top, Math.min(y0, y)), Math.min(bottom, Math.max(y0, y))];
    if (d - c < ONE_AXIS) return { left: a, right: b, top, bottom };
    if (b - a < ONE_AXIS) return { left, right, top: c, bottom: d };
    return { left: a, right: b, top: c, bottom: d };
  };
  element.addEventListener("pointerdown", (event) => {
    const [x, y] = place(event);
    const { left, top, right, bottom } = area();
    const control = (event.target as Element).closest("button");
    if (event.button || control || x < left || x > right || y < top || y > bottom) return;
    from = [x, y];
    if (event.pointerType !== "touch") element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!from || event.pointerType === "touch") return;
    const { left, top, right, bottom } = boxTo(place(event));
    hideTip();
    element.append(shade);
    Object.assign(shade.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  });
  element.addEventListener("pointerup", (event) => {
    if (!from) return;
    const [at, begun] = [place(event), from];
    const box = boxTo(at);
    shade.remove();
    from = undefined;
    if (Math.hypot(at[0] - begun[0], at[1] - begun[1]) < MIN_DRAG) clicked(at[0]);
    else if (event.pointerType !== "touch") selected(box);
  });
  element.addEventListener("pointercancel", () => {
    from = undefined;
    shade.remove();
  });
  element.addEventListener("dblclick", (event) => (event.target as Element).closest("button") ?? reset());
}
