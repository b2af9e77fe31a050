"use strict";
// The run: its figures, its curve, and the table of its tasks.
cwm.runPage = (() => {
  const { h, status, callout } = cwm.dom;

  const median = (values) => {
    const sorted = [...values].sort((one, other) => one - other), half = sorted.length >> 1;
    return sorted.length ? (sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2) : null;
  };

  function tiles(run) {
    const solved = run.tasks.filter((each) => ["right", "solved", "overfits"].includes(each.status));
    const seconds = run.tasks.reduce((sum, each) => sum + each.seconds, 0);
    const judged = run.tasks.filter((each) => ["right", "overfits"].includes(each.status)), right = judged.filter((each) => each.status === "right");
    const found = [
      ["solved", `${solved.length} of ${run.tasks.length}`], ...(judged.length ? [["hidden tests pass", `${right.length} of ${judged.length}`]] : []),
      ["real runs, median of solved", solved.length ? `${median(solved.map((each) => each.executions))}` : "–"],
      ["programs imagined", run.tasks.reduce((sum, each) => sum + each.imagined, 0).toLocaleString("en")], ["time", cwm.text.seconds(seconds)],
    ];
    return h("dl", { class: "tiles" }, found.map(([name, value]) => h("div", { class: "tile" }, h("dt", null, name), h("dd", null, value))));
  }

  function solvedCurve(run) {
    const budget = Math.max(2, ...run.curves.map((each) => each.budget || Math.max(1, ...each.solved.map(([runs]) => runs))));
    const tasks = Math.max(1, ...run.curves.map((each) => each.tasks));
    const series = run.curves.map((each) => {
      const points = [[0, 0, ""]];
      const at = new Map();
      for (const [runs, task] of each.solved) at.set(runs, [...(at.get(runs) || []), task]);
      let solved = 0;
      for (const [runs, names] of at) {
        solved += names.length;
        points.push([runs, solved, `${each.name}: ${solved} solved within ${cwm.text.count(runs, "real run", "real runs")}`, () => `New: ${names.slice(0, 20).join(", ")}${names.length > 20 ? " …" : ""}`]);
      }
      points.push([budget, solved, ""]);
      return { name: `${each.name} (${each.tasks} tasks)`, points, stepped: true };
    });
    return cwm.charts.curves({ title: "Tasks solved by real runs", xLabel: "real runs a task", yLabel: "tasks solved", xMost: budget, yMost: tasks, wholeX: true, wholeY: true, series, legend: true, hint: "Point at a step, or reach it with the Tab key, to see its tasks." });
  }

  function statuses(run) {
    const by = new Map();
    for (const [at, each] of run.tasks.entries()) by.set(each.status, [...(by.get(each.status) || []), [each, at]]);
    const rows = [...by].map(([name, found]) => ({
      name, value: found.length, words: `${name}: ${cwm.text.count(found.length, "task", "tasks")}`,
      links: () => [found.slice(0, 40).map(([each, at]) => [h("a", { href: cwm.store.href(at) }, each.id), " "]), found.length > 40 ? "…" : ""],
    })).sort((one, other) => other.value - one.value);
    return cwm.charts.bars({ title: "What became of the tasks", rows, hint: "Choose one to see its tasks." });
  }

  function runPage(index) {
    const run = index.run, place = new Map(run.tasks.map((each, at) => [each, at]));
    const table = cwm.table({
      caption: "Tasks", rows: run.tasks, choices: [["status", "Status"]], searched: (row) => `${row.id} ${row.status} ${row.patch}`,
      columns: [
        { key: "id", label: "Task", cell: (row) => h("a", { href: cwm.store.href(place.get(row)) }, row.id) },
        { key: "status", label: "Status", cell: (row) => status(row.status) },
        { key: "executions", label: "Real runs", numeric: true, title: "Real executions, the buggy program's own included" },
        { key: "confidence", label: "Confidence", numeric: true, title: "Calibrated chance that the patch is right", cell: (row) => cwm.text.share(row.confidence) },
        { key: "believed", label: "Believed", numeric: true, title: "Share of tests that the last candidate was expected to pass before it was run", cell: (row) => cwm.text.share(row.believed) },
        { key: "imagined", label: "Imagined", numeric: true, title: "Programs imagined" },
        { key: "divergences", label: "Divergences", numeric: true, title: "Kept imagined runs that part from the real one" },
        { key: "seconds", label: "Time", numeric: true, cell: (row) => cwm.text.seconds(row.seconds) },
        { key: "patch", label: "Patch", cell: (row) => (row.patch ? h("code", { class: "patch" }, cwm.text.shortened(cwm.text.line(row.patch), 80)) : "–") },
      ],
    });
    return [h("h1", null, run.name), h("p", { class: "lead" }, run.settings.filter(([name]) => ["planner", "oracle", "view", "guide", "seed"].includes(name)).map(([name, text], at) => [at ? " · " : "", h("span", { class: "faint" }, `${name} `), text])),
      callout("warning", "Not everything of this run can be shown", run.problems), h("section", { id: "live", class: "live", hidden: true, "aria-label": "Workers" }), tiles(run), h("div", { class: "charts" }, solvedCurve(run), statuses(run)), h("h2", null, "Tasks"), table,
      h("details", { class: "settings" }, h("summary", null, "Settings"), h("dl", { class: "pairs" }, run.settings.map(([name, text]) => [h("dt", null, name), h("dd", null, text)]))),
      run.traced ? h("p", { class: "faint" }, `Imagined frames are those that the solve imagined. ${cwm.text.count(run.traced, "real run was", "real runs were")} traced again, in the sandbox, when this report was made.`) : null];
  }

  return runPage;
})();
