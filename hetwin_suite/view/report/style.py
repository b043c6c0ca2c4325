"""How the page looks, on paper white and on night, on a laptop and on a phone."""

CSS = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1f2630; --muted: #667085; --line: #e3e7ed;
  --good: #23845a; --warned: #a86c06; --bad: #c53d3d; --stage: #f3f5f8; --link: #2a6fc9;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1c2027; --text: #e4e8ee; --muted: #97a1b0; --line: #2d333d;
    --good: #4cc38f; --warned: #e0ab4a; --bad: #f07c7c; --stage: #262c35; --link: #78aef5;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { max-width: 1180px; margin: 0 auto; padding: 22px 20px 64px; }
h1 { font-size: 1.02rem; line-height: 1.3; margin: 0; font-weight: 600; color: var(--muted); overflow-wrap: anywhere; }
h2 { font-size: 1.12rem; margin: 0 0 4px; }
h3 { font-size: 0.98rem; margin: 22px 0 0; }
p { margin: 0 0 8px; }
.note { color: var(--muted); font-size: 0.88rem; overflow-wrap: anywhere; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 14px;
  padding: 20px 22px; margin-top: 16px; scroll-margin-top: 12px;
}
.good { --tone: var(--good); } .warned { --tone: var(--warned); } .bad { --tone: var(--bad); }
.first {
  display: grid; grid-template: "head viewer" auto "told viewer" 1fr / minmax(0, 1fr) minmax(0, 1.2fr);
  gap: 14px 28px; padding: 0; overflow: hidden; border-top: 4px solid var(--tone);
}
.first.blind { grid-template: "head" auto "told" auto / minmax(0, 1fr); }
.head { grid-area: head; padding: 22px 0 0 24px; }
.told { grid-area: told; padding: 0 0 22px 24px; }
.viewer { grid-area: viewer; min-width: 0; background: var(--stage); border-left: 1px solid var(--line); }
.blind .head, .blind .told { padding-right: 24px; }
.mark {
  display: inline-block; padding: 2px 11px; border-radius: 999px; margin: 0 6px 9px 0;
  background: color-mix(in srgb, var(--tone) 15%, transparent); color: var(--tone);
  font-size: 0.82rem; font-weight: 650; letter-spacing: 0.01em;
}
.how {
  font-size: 1.4rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.012em; margin: 0;
  overflow-wrap: anywhere; text-wrap: balance;
}
.more { color: var(--muted); margin: 6px 0 0; font-size: 0.92rem; }

.told h2 { font-size: 0.85rem; font-weight: 500; color: var(--muted); margin: 16px 0 4px; }
ul.story, ul.concerns, ul.state { list-style: none; margin: 0; padding: 0; }
ul.story li { margin: 0 0 10px; overflow-wrap: anywhere; }
ul.state { columns: 13rem; column-gap: 24px; }
ul.state li { padding: 3px 0; break-inside: avoid; overflow-wrap: anywhere; }
ul.concerns { margin-bottom: 16px; }
ul.concerns li {
  display: grid; grid-template-columns: 4.7rem minmax(0, 1fr); align-items: baseline; gap: 4px;
  padding: 7px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere;
}
ul.concerns li:first-child { border-top: 1px solid var(--line); }
.severity { color: var(--muted); font-size: 0.82rem; }
.warning .severity { color: var(--warned); font-weight: 600; }
.absurd .severity { color: var(--bad); font-weight: 650; }
.when { color: var(--muted); }
a.time { color: var(--link); text-decoration: none; font-variant-numeric: tabular-nums; white-space: nowrap; }
a.time:hover { text-decoration: underline; }
figure { margin: 0; }
.hetwin-player { position: relative; }
.hetwin-canvas { height: clamp(260px, 34vw, 430px); touch-action: pan-y; }
.hetwin-canvas canvas { outline-offset: -2px; }
.hetwin-controls { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 8px 14px; }
.hetwin-controls input[type="range"] { flex: 1 1 8rem; min-width: 6rem; accent-color: var(--link); }
.hetwin-controls output { font-variant-numeric: tabular-nums; min-width: 4.6rem; text-align: right; }
.hetwin-caption { display: flex; flex-wrap: wrap; gap: 0 1em; padding: 0 16px; min-height: 1.5em; font-size: 0.9rem; }
.hetwin-caption span { color: var(--muted); }
button, select {
  font: inherit; font-size: 0.86rem; padding: 3px 11px; cursor: pointer;
  border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: var(--text);
}
button:hover { border-color: var(--muted); }
.places { display: flex; flex-wrap: wrap; gap: 6px; padding: 2px 14px 16px; }
.place { text-align: left; overflow-wrap: anywhere; color: var(--muted); }
.place b { color: var(--link); font-weight: 600; font-variant-numeric: tabular-nums; }
.place[aria-pressed="true"] { border-color: var(--link); color: var(--text); }
.plot { position: relative; }
.now {
  position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -1px; background: var(--link); pointer-events: none;
}
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
dl.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 12px 18px; margin: 16px 0 0;
}
dl.facts div { min-width: 0; }
dl.facts div.wide { grid-column: 1 / -1; }
dt { color: var(--muted); font-size: 0.8rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
code { font: 0.85em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
.scroll td { min-width: 4.5rem; }
th { text-align: left; color: var(--muted); font-weight: 500; font-size: 0.8rem; white-space: nowrap; }
th, td { padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td.number { text-align: right; white-space: nowrap; padding-right: 18px; }
th.number { text-align: right; padding-right: 18px; }
td.strong { font-weight: 600; }
.chip { white-space: nowrap; }
.chip::before {
  content: ""; display: inline-block; width: 0.7em; height: 0.7em; border-radius: 3px;
  margin-right: 0.45em; background: var(--colour);
}
.cards {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 16px; margin-top: 16px;
}
.cards .card { margin: 0; padding: 0; overflow: hidden; border-top: 4px solid var(--tone); }
.cards .pictures img { display: block; width: 100%; height: auto; aspect-ratio: 62 / 41; }
.cards .pictures { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); background: var(--stage); }
.cards figcaption { padding: 4px 12px 8px; min-height: 0; font-size: 0.8rem; color: var(--muted); }
.cards .text { padding: 14px 18px 16px; }
.cards h3 { margin: 0 0 4px; overflow-wrap: anywhere; }
.cards ul { margin: 8px 0 0; padding-left: 1.1em; font-size: 0.9rem; }
.cards li { margin-bottom: 3px; overflow-wrap: anywhere; }
.plot { width: 100%; min-width: 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 0 24px; }
.plots > div { min-width: 0; }
.plots h3 { margin: 12px 0 2px; }
summary { cursor: pointer; color: var(--muted); width: fit-content; }
summary:hover { color: var(--text); }
details { margin-top: 8px; }
details[open] > summary { margin-bottom: 8px; }
.fold > details { margin: 0; }
ul.warnings { margin: 6px 0 0; padding-left: 1.2em; font-size: 0.9rem; }
ul.warnings li { overflow-wrap: anywhere; }
.errors { color: var(--bad); }
footer { color: var(--muted); font-size: 0.82rem; margin-top: 22px; }
@media (max-width: 860px) {
  .first { grid-template: "head" auto "viewer" auto "told" auto / minmax(0, 1fr); }
  .head, .told { padding-left: 18px; padding-right: 18px; }
  .viewer { border-left: 0; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
}
@media (max-width: 600px) {
  main { padding: 14px 10px 40px; }
  .card:not(.first) { padding: 16px 14px; }
  .card { border-radius: 12px; }
  .how {
  font-size: 1.22rem; }
  .scroll table { min-width: 42rem; }
}
@media (max-width: 600px) { .hetwin-canvas { height: 62vw; } .places { flex-wrap: nowrap; overflow-x: auto; }
  .place { flex: 0 0 auto; max-width: 70vw; } }
@media print { .card { break-inside: avoid; } }
"""
