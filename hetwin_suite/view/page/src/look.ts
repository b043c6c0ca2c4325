// How the parts that pages share look. Colours come from the page if it names them, and follow its day and night.

const CSS = `
.hetwin-timeline {
  --names: 11rem; --at: 0; position: relative; user-select: none; touch-action: pan-y; cursor: pointer;
  font-size: 0.8rem; font-variant-numeric: tabular-nums;
}
.hetwin-timeline .row { display: grid; grid-template-columns: var(--names) minmax(0, 1fr); align-items: center; }
.hetwin-timeline .name {
  padding-right: 10px; text-align: right; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  color: var(--muted, #667085);
}
.hetwin-timeline .under .name { font-size: 0.92em; }
.hetwin-timeline .fold {
  border: 0; background: none; padding: 0; font: inherit; color: inherit; cursor: pointer; max-width: 100%;
  overflow: hidden; text-overflow: ellipsis;
}
.hetwin-timeline .fold::before { content: "▸ "; }
.hetwin-timeline .fold[aria-expanded="true"]::before { content: "▾ "; }
.hetwin-timeline .track { position: relative; height: 26px; border-bottom: 1px solid var(--line, #e3e7ed); }
.hetwin-timeline .under .track { height: 20px; }
.hetwin-timeline .bar {
  position: absolute; top: 4px; bottom: 4px; border-radius: 3px; overflow: hidden; padding: 0 4px; color: #17202b;
  white-space: nowrap; text-overflow: ellipsis; font-size: 0.74rem; line-height: 18px;
}
.hetwin-timeline .under .bar { line-height: 12px; font-size: 0.66rem; }
.hetwin-timeline .dot {
  position: absolute; top: 8px; width: 10px; height: 10px; margin-left: -5px; padding: 0; border-radius: 50%;
  border: 2px solid #8b97a8; background: none; cursor: pointer;
}
.hetwin-timeline .dot.strong { background: #d65f5f; border-color: #d65f5f; z-index: 1; }
.hetwin-timeline .ticks .track { border: 0; height: 20px; }
.hetwin-timeline .tick { position: absolute; transform: translateX(-50%); color: var(--muted, #667085); }
.hetwin-timeline .cursor {
  position: absolute; top: 0; bottom: 14px; width: 2px; margin-left: -1px; pointer-events: none; z-index: 2;
  left: calc(var(--names) + (100% - var(--names)) * var(--at)); background: var(--link, #2a6fc9);
}
.hetwin-timeline .cursor::before {
  content: ""; position: absolute; top: -4px; left: -5px; width: 12px; height: 12px; border-radius: 50%;
  background: inherit;
}
.hetwin-timeline .mark {
  position: absolute; top: 0; bottom: 14px; width: 8px; margin-left: -4px; padding: 0; border: 0; z-index: 1; cursor: pointer;
  left: calc(var(--names) + (100% - var(--names)) * var(--mark));
  background: linear-gradient(90deg, transparent 3px, var(--bad, #c53d3d) 3px 5px, transparent 5px);
}
.hetwin-timeline .apart .track { height: 46px; }
.hetwin-timeline .apart svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.hetwin-timeline .apart polyline {
  fill: none; stroke: var(--bad, #c53d3d); stroke-width: 1.6; vector-effect: non-scaling-stroke;
}
.hetwin-timeline .most { position: absolute; left: 6px; top: 2px; color: var(--muted, #667085); }
.hetwin-course { margin-top: 10px; }
.hetwin-course h3 { margin: 10px 0 2px; font-size: 0.85rem; font-weight: 600; }
.hetwin-choices, .hetwin-sides {
  display: flex; flex-wrap: wrap; gap: 6px 16px; align-items: baseline; padding: 6px 14px; font-size: 0.88rem;
}
.hetwin-choices [hidden] { display: none; }
.hetwin-see[open] { flex-basis: 100%; }
.hetwin-see > div { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); padding: 4px 0; }
.hetwin-sides button[aria-pressed="true"] { font-weight: 650; border-color: var(--link, #2a6fc9); }
.hetwin-canvas { position: relative; height: clamp(240px, 54vh, 600px); }
.hetwin-title {
  position: absolute; left: 10px; top: 8px; padding: 1px 8px; border-radius: 999px; pointer-events: none;
  background: var(--card, #fff); color: var(--text, #1f2630); font-size: 0.8rem; opacity: 0.85;
}
.hetwin-title.run-1 { top: 34px; }
.apart > .hetwin-title.run-1 { left: calc(50% + 10px); top: 8px; }
@media (max-width: 640px) {
  .hetwin-timeline { --names: 0px; }
  .hetwin-timeline .row { grid-template-columns: minmax(0, 1fr); }
  .hetwin-timeline .name { grid-row: 1; text-align: left; padding: 3px 0 0; font-size: 0.74rem; }
  .hetwin-timeline .ticks .name { display: none; }
}
`;

/** Put the style into the page, once. */
export function addLook(): void {
  if (document.getElementById("hetwin-look")) return;
  const style = document.createElement("style");
  style.id = "hetwin-look";
  style.textContent = CSS;
  document.head.prepend(style);
}
