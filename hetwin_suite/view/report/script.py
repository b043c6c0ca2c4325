"""What the page does: draws the figures in its own colours and keeps their time axes together."""

SCRIPT = """
(function () {
  "use strict";
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const night = window.matchMedia("(prefers-color-scheme: dark)");
  const drawn = [];
  let busy = false, zoomed = null;

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function theme(layout) {
    const text = colour("--text"), line = colour("--line");
    const look = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: {color: text, family: getComputedStyle(document.body).fontFamily, size: 12},
      hoverlabel: {bgcolor: colour("--card"), bordercolor: line, font: {color: text}, align: "left"},
    };
    for (const key of Object.keys(layout).filter((k) => /^[xy]axis/.test(k))) {
      look[key] = {gridcolor: line, linecolor: line, ticks: "", ...layout[key]};
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
    document.dispatchEvent(new CustomEvent("hetwin-zoom", {detail: all ? null : [from, to]}));
    const of = drawn.find((d) => d.node === source).range;
    zoomed = all ? null : {of, range: [from, to]};
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
  // The library is a page's largest part, and read only when there is something to draw with it.
  function load() {
    if (window.Plotly) return;
    const script = document.createElement("script");
    script.textContent = document.getElementById("plotly").textContent;
    document.head.append(script);
  }
  function draw(node) {
    load();
    const figure = figures[node.dataset.figure];
    const timed = Boolean(figure.layout.xaxis && figure.layout.xaxis.range);
    const config = {responsive: true, displayModeBar: false, scrollZoom: false};
    const layout = theme(figure.layout);
    const range = timed ? figure.layout.xaxis.range.slice() : null;
    if (timed) {
      const same = zoomed && String(zoomed.of) === String(range);
      layout.xaxis = {...layout.xaxis, range: (same ? zoomed.range : range).slice()};
    }
    Plotly.newPlot(node, figure.data, layout, config).then(() => {
      drawn.push({node, timed, range, layout: figure.layout});
      if (timed) {
        node.on("plotly_relayout", (event) => together(node, event));
        listen(drawn[drawn.length - 1]);
      }
    });
  }
  // The time that the scene shows, as a line in all plots over time; a click goes to another.
  let now = NaN;
  function point(d) {
    const axis = d.node._fullLayout.xaxis, at = axis.l2p(now);
    d.cursor.hidden = !(at >= 0 && at <= axis._length);
    d.cursor.style.left = axis._offset + at + "px";
  }
  function listen(d) {
    d.cursor = document.createElement("div");
    d.cursor.className = "now";
    d.cursor.hidden = true;
    d.node.append(d.cursor);
    // A drag of plotly's ends on a cover that lies over the whole page.
    d.node.addEventListener("pointerdown", (down) => {
      if (down.button || down.target.closest(".legend")) return;
      window.addEventListener("pointerup", (up) => {
        const axis = d.node._fullLayout.xaxis;
        const at = up.clientX - d.node.getBoundingClientRect().left - axis._offset;
        if (Math.hypot(up.clientX - down.clientX, up.clientY - down.clientY) > 4) return;
        if (at < 0 || at > axis._length) return;
        document.dispatchEvent(new CustomEvent("hetwin-seek", {detail: axis.p2l(at)}));
      }, {once: true, capture: true});
    }, true);
    d.node.on("plotly_afterplot", () => point(d));
    point(d);
  }
  document.addEventListener("hetwin-time", (event) => {
    now = event.detail;
    for (const d of drawn.filter((d) => d.timed)) point(d);
  });
  // A figure is drawn when it comes near to what one sees: all at once would keep the page busy for seconds.
  const waiting = new Set(document.querySelectorAll(".plot"));
  const near = new IntersectionObserver((seen) => {
    for (const one of seen.filter((s) => s.isIntersecting)) begin(one.target);
  }, {rootMargin: "500px"});
  function begin(node) {
    near.unobserve(node);
    if (waiting.delete(node)) draw(node);
  }
  for (const node of waiting) near.observe(node);
  window.addEventListener("beforeprint", () => waiting.forEach(begin));
  night.addEventListener("change", () => {
    for (const d of drawn) {
      const layout = theme(d.layout);
      if (d.timed) layout.xaxis.range = d.node.layout.xaxis.range;
      Plotly.relayout(d.node, layout);
    }
  });
})();
"""
