"use strict";
// A run that goes on: the server tells of new episodes and of what its workers do.
cwm.live = (() => {
  const { h, replace } = cwm.dom;
  const state = { workers: [], connected: false };

  function draw() {
    const place = document.getElementById("live");
    if (!place || !cwm.store.index.live) return;
    place.hidden = false;
    const rows = state.workers.map((each) => h("tr", null, h("th", { scope: "row" }, each.task), h("td", { class: "numeric" }, `${each.imagined}`), h("td", { class: "numeric" }, each.odds === null ? "–" : each.odds.toFixed(1)), h("td", { class: "numeric" }, `${each.runs}`), h("td", { class: "numeric" }, each.left === null ? "–" : cwm.text.seconds(Math.max(0, each.left)))));
    replace(place, h("h2", null, h("span", { class: `pulse ${state.connected ? "on" : ""}`, "aria-hidden": "true" }), state.connected ? "Live" : "The run is over, or its server is gone"),
      rows.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Workers" }, h("table", { class: "rows" }, h("thead", null, h("tr", null, ["Task", "Imagined", "Best log-odds", "Real runs", "Time left"].map((each) => h("th", { scope: "col" }, each)))), h("tbody", null, rows))) : null);
  }

  function start(update) {
    if (!cwm.store.index.live) return;
    const source = new EventSource(`events${location.search}`);
    source.addEventListener("open", () => { state.connected = true; draw(); });
    source.addEventListener("error", () => { state.connected = false; draw(); });
    source.addEventListener("index", (event) => { cwm.store.index = { ...JSON.parse(event.data), live: true }; update(); draw(); });
    source.addEventListener("workers", (event) => { state.workers = JSON.parse(event.data); draw(); });
    source.addEventListener("over", () => { source.close(); state.connected = false; state.workers = []; draw(); });
  }

  return { start, draw };
})();
