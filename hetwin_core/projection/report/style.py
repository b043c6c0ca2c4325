"""How the page looks, on paper white and on night, on a laptop and on a phone."""

CSS = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1f2630; --muted: #667085; --line: #e3e7ed;
  --good: #2f9e6e; --warned: #c98a1b; --bad: #d14b4b; --stage: #fbfcfd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1c2027; --text: #e4e8ee; --muted: #97a1b0; --line: #2d333d;
    --good: #4cc38f; --warned: #e0ab4a; --bad: #ef7272; --stage: #21262e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 64px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.12rem; margin: 0 0 4px; }
h3 { font-size: 0.98rem; margin: 22px 0 0; }
p { margin: 0 0 8px; }
.kind { color: var(--muted); font-size: 0.85rem; margin-bottom: 2px; }
.note { color: var(--muted); font-size: 0.88rem; overflow-wrap: anywhere; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 18px 20px; margin-top: 16px;
}
.verdict { border-left: 5px solid var(--tone); }
.verdict .how { color: var(--tone); font-weight: 650; overflow-wrap: anywhere; }
.verdict .story { font-size: 1.08rem; margin: 6px 0 0; overflow-wrap: anywhere; }
.good { --tone: var(--good); } .warned { --tone: var(--warned); } .bad { --tone: var(--bad); }
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
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(290px, 1fr)); gap: 14px; margin-top: 10px; }
figure { margin: 0; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--stage); }
figure img { display: block; width: 100%; height: auto; }
figcaption { padding: 8px 12px 10px; font-size: 0.88rem; border-top: 1px solid var(--line); }
figcaption b { font-variant-numeric: tabular-nums; margin-right: 0.5em; }
.plot { width: 100%; min-width: 0; }
details summary { cursor: pointer; color: var(--muted); }
details[open] summary { margin-bottom: 8px; }
ul.warnings { margin: 6px 0 0; padding-left: 1.2em; font-size: 0.9rem; }
ul.warnings li { overflow-wrap: anywhere; }
.errors { color: var(--bad); }
footer { color: var(--muted); font-size: 0.82rem; margin-top: 22px; }
@media (max-width: 600px) {
  main { padding: 16px 10px 40px; }
  .card { padding: 14px 12px; border-radius: 10px; }
  h1 { font-size: 1.4rem; }
}
@media print { .card { break-inside: avoid; } }
"""
