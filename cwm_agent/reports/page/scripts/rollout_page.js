"use strict";
// Collected episodes: returns as a curve, and a table.
cwm.rolloutPage = (() => {
  const { h, callout } = cwm.dom;

  function rolloutPage(index) {
    const { rows, settings } = index.rollouts, returns = rows.map((each) => each.return);
    const most = Math.max(1e-6, ...returns, 0), low = Math.min(0, ...returns);
    let sum = 0;
    const means = rows.map((each, at) => {
      sum += each.return;
      const mean = sum / (at + 1);
      return [at + 1, mean - low, rows.length < 200 ? `episode ${each.episode}: mean return so far ${mean.toFixed(3)}` : ""];
    });
    return [h("h1", null, index.title), callout("warning", "Not everything can be shown", index.problems),
      h("dl", { class: "tiles" }, [["episodes", rows.length], ["mean return", rows.length ? (sum / rows.length).toFixed(3) : "–"], ["at the goal", rows.filter((each) => each.end === "goal").length]].map(([name, value]) => h("div", { class: "tile" }, h("dt", null, name), h("dd", null, `${value}`)))),
      rows.length ? cwm.charts.curves({ title: "Mean return so far", xLabel: "episodes", yLabel: low ? `return above ${low}` : "return", xMost: rows.length, yMost: most - low, wholeX: true, series: [{ name: "mean return", points: means }] }) : null,
      h("h2", null, "Episodes"), cwm.table({ caption: "Episodes", rows, choices: [["end", "End"]], searched: (row) => `${row.task} ${row.end}`, columns: [{ key: "episode", label: "Episode", numeric: true }, { key: "task", label: "Task" }, { key: "return", label: "Return", numeric: true }, { key: "steps", label: "Steps", numeric: true }, { key: "end", label: "End" }, { key: "reason", label: "Reason" }] }),
      h("details", { class: "settings" }, h("summary", null, "Settings"), h("dl", { class: "pairs" }, settings.map(([name, text]) => [h("dt", null, name), h("dd", null, text)])))];
  }

  return rolloutPage;
})();
