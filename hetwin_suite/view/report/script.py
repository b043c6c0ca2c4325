"""What the page does: draws the figures in its own colours and keeps their time axes together."""

SCRIPT = """
(function () {
  "use strict";
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const night = window.matchMedia("(prefers-color-scheme: dark)");
  const drawn = [];
  let busy = false;

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function theme(layout) {
    const text = colour("--text"), muted = colour("--muted"), line = colour("--line");
    const look = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: {color: text, family: getComputedStyle(document.body).fontFamily, size: 12},
      hoverlabel: {bgcolor: colour("--card"), bordercolor: line, font: {color: text}, align: "left"},
    };
    for (const key of Object.keys(layout).filter((k) => /^[xy]axis/.test(k))) {
      look[key] = {gridcolor: line, linecolor: line, ticks: "", ...layout[key]};
    }
    if (layout.scene) {
      look.scene = {...layout.scene};
      for (const axis of ["xaxis", "yaxis", "zaxis"]) {
        look.scene[axis] = {...layout.scene[axis], gridcolor: line, color: muted};
      }
    }
    if (layout.annotations && window.innerWidth < 640) {
      look.annotations = layout.annotations.filter((a) => a.name !== "only wide");
      if (!look.annotations.length) look.margin = {...layout.margin, t: 10};
    }
    // A finger that drags over a plot means to scroll the page.
    if (window.matchMedia("(pointer: coarse)").matches) look.dragmode = false;
    return {...layout, ...look};
  }
  function together(source, event) {
    if (busy) return;
    const from = event["xaxis.range[0]"], to = event["xaxis.range[1]"];
    const all = event["xaxis.autorange"];
    if (from === undefined && !all) return;
    busy = true;
    const span = String(drawn.find((d) => d.node === source).range);
    const others = drawn.filter((d) => d.node !== source && String(d.range) === span);
    const jobs = others.map((d) => Plotly.relayout(
      d.node, {"xaxis.range": all ? d.range.slice() : [from, to], "xaxis.autorange": false}));
    if (all) {
      const own = drawn.find((d) => d.node === source);
      jobs.push(Plotly.relayout(source, {"xaxis.range": own.range.slice(), "xaxis.autorange": false}));
    }
    Promise.all(jobs).finally(() => { busy = false; });
  }
  function draw(node) {
    const figure = figures[node.dataset.figure];
    const timed = Boolean(figure.layout.xaxis && figure.layout.xaxis.range);
    const config = {responsive: true, displayModeBar: false, scrollZoom: false};
    const layout = theme(figure.layout);
    const range = timed ? figure.layout.xaxis.range.slice() : null;
    if (timed) layout.xaxis = {...layout.xaxis, range: range.slice()};
    Plotly.newPlot(node, figure.data, layout, config).then(() => {
      drawn.push({node, timed, range, layout: figure.layout});
      if (timed) node.on("plotly_relayout", (event) => together(node, event));
    });
  }
  // A time that was clicked: a line in all plots over time, and the picture that is nearest.
  function mark(time) {
    const line = {type: "line", xref: "x", yref: "paper", x0: time, x1: time, y0: 0, y1: 1,
      line: {color: colour("--link"), width: 2}};
    for (const d of drawn.filter((d) => d.timed)) {
      Plotly.relayout(d.node, {shapes: (d.layout.shapes || []).concat([line])});
    }
  }
  const thumbs = Array.from(document.querySelectorAll(".thumb"));
  function show(thumb) {
    const large = document.getElementById("large"), image = thumb.querySelector("img");
    large.src = image.src;
    large.alt = image.alt;
    document.getElementById("caption").innerHTML = thumb.querySelector("template").innerHTML;
    for (const other of thumbs) other.setAttribute("aria-pressed", String(other === thumb));
  }
  function nearest(time) {
    const far = (thumb) => Math.abs(thumb.dataset.time - time);
    return thumbs.reduce((best, thumb) => (far(thumb) < far(best) ? thumb : best), thumbs[0]);
  }
  for (const thumb of thumbs) thumb.addEventListener("click", () => show(thumb));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.time");
    if (!link) return;
    const time = Number(link.dataset.time);
    mark(time);
    if (thumbs.length) show(nearest(time));
  });
  for (const node of document.querySelectorAll(".plot")) {
    const fold = node.closest("details");
    if (!fold || fold.open) draw(node);
    else fold.addEventListener("toggle", () => draw(node), {once: true});
  }
  night.addEventListener("change", () => {
    for (const d of drawn) {
      const layout = theme(d.layout);
      if (d.timed) layout.xaxis.range = d.node.layout.xaxis.range;
      Plotly.relayout(d.node, layout);
    }
  });
})();
"""
