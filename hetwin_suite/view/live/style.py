"""How the page of a run that goes on looks."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5d6878; --muted: #5d6878; --paper: #f7f8fa; --card: #fff;
  --line: #d9dee6; --bad: #b3261e; --accent: #2457c5; --link: #2457c5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa5b4; --muted: #9aa5b4; --paper: #14181e;
  --card: #1c222b; --line: #333c48; --bad: #ff8a80; --accent: #8ab4ff; --link: #8ab4ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 14px/1.4 system-ui, sans-serif; }
#hetwin { display: grid; grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr) 21rem; gap: .5rem; height: 100vh;
  padding: .5rem; grid-template-areas: "bar bar" "scene side" "lanes side"; }
.top { grid-area: bar; display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; }
.top h1 { font-size: 1rem; margin: 0; }
.scene { grid-area: scene; display: flex; flex-direction: column; min-height: 0; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.scene .hetwin-canvas { flex: 1; min-height: 0; height: auto; overflow: hidden; }
.scene canvas { position: absolute; }
.side { grid-area: side; display: flex; flex-direction: column; gap: .5rem; min-height: 0; }
.lanes { grid-area: lanes; max-height: 22vh; overflow-y: auto; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .6rem; }
.owners { max-height: 45%; overflow-y: auto; }
.owners section { border-top: 1px solid var(--line); padding: .3rem 0; }
.owners section:first-of-type { border-top: 0; }
.owners h3 { font-size: .85rem; margin: 0 0 .2rem; }
.owners div { display: flex; flex-wrap: wrap; gap: .25rem; }
.words { flex: 1; min-height: 6rem; overflow-y: auto; }
.words ol { list-style: none; margin: 0; padding: 0; }
.words li { padding: .1rem 0; overflow-wrap: anywhere; }
.words time { color: var(--dim); margin-right: .4rem; font-variant-numeric: tabular-nums; }
.words .note, .bad { color: var(--bad); }
.words .count { color: var(--dim); }
h2 { font-size: .85rem; margin: 0 0 .3rem; color: var(--dim); font-weight: 600; }
button, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: 5px; padding: .15rem .55rem; cursor: pointer; }
button:disabled, select:disabled { opacity: .5; cursor: default; }
button[aria-pressed="true"] { border-color: var(--mark, var(--accent));
  box-shadow: inset 0 -3px var(--mark, var(--accent)); }
.numbers { display: flex; gap: 1rem; margin-left: auto; font-variant-numeric: tabular-nums; }
.numbers b { font-weight: 600; }
.said { min-height: 1.4em; flex-basis: 100%; }
input[type="search"] { font: inherit; width: 100%; }
@media (max-width: 800px) { #hetwin { display: flex; flex-direction: column; height: auto; }
  .scene { height: 55vh; } .words { max-height: 40vh; } .owners, .lanes { max-height: none; }
  .numbers { margin-left: 0; } }
"""
