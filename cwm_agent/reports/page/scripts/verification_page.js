"use strict";
// Imagined against real over many programs: survival, error kinds, calibration.
cwm.verificationPage = (() => {
  const { h, callout } = cwm.dom;

  /** Kaplan-Meier: the share of runs still right after each depth, with the runs that went wrong there. */
  function survival(observations) {
    const wrong = new Map();
    for (const each of observations) if (each.kind) wrong.set(each.depth + 1, [...(wrong.get(each.depth + 1) || []), each]);
    const points = [];
    let share = 1;
    for (const depth of [...wrong.keys()].sort((one, other) => one - other)) {
      const risk = observations.filter((each) => each.depth + (each.kind ? 1 : 0) >= depth).length;
      share *= 1 - wrong.get(depth).length / risk;
      points.push([depth, share, wrong.get(depth)]);
    }
    return points;
  }

  const links = (observations) => () => {
    const shown = observations.slice(0, 24).map((each) => [each.task === null || each.task === undefined ? h("span", null, each.name) : h("a", { href: cwm.store.href(each.task, `/theatre/${each.scene}`) }, each.name), " "]);
    return [shown, observations.length > 24 ? `and ${observations.length - 24} more` : ""];
  };

  function survivalChart(section) {
    const curves = new Map();
    for (const each of section.observations) curves.set(each.curve || "imagined runs", [...(curves.get(each.curve || "imagined runs") || []), each]);
    const longest = Math.max(2, ...section.observations.map((each) => Math.max(each.depth + 1, each.length)));
    const series = [...curves].map(([name, found]) => ({
      name: `${name} (${found.length})`, stepped: true,
      points: [[0, 1, ""], ...survival(found).map(([depth, share, wrong]) => [depth, share, `${name}: ${(share * 100).toFixed(1)} % right after ${depth} steps`, links(wrong)]), [longest, survival(found).at(-1)?.[1] ?? 1, ""]],
    }));
    return cwm.charts.curves({ title: "Survival: runs still equal to the real one", xLabel: "steps", yLabel: "share right", xMost: longest, yMost: 1, percent: true, wholeX: true, series, legend: true, hint: "Point at a step of the curve to see the programs that went wrong there." });
  }

  function kinds(section) {
    const by = new Map();
    for (const each of section.observations) { const kind = each.kind || "none: right or cut off"; by.set(kind, [...(by.get(kind) || []), each]); }
    const rows = [...by].map(([name, found]) => ({ name, value: found.length, words: `${name}: ${cwm.text.count(found.length, "run", "runs")}`, links: links(found) })).sort((one, other) => other.value - one.value);
    return cwm.charts.bars({ title: "Kinds of the first error", rows, hint: "Choose a kind to see its programs." });
  }

  function calibration(section) {
    if (!section.calibration || !section.calibration.length) return h("p", { class: "faint" }, "The oracle gives no confidence, so its calibration is not known.");
    const total = section.calibration.reduce((sum, each) => sum + each.count, 0), names = cwm.store.tasks();
    const points = section.calibration.map((each) => [each.confidence, each.right, `confidence ${each.confidence.toFixed(3)}: ${(each.right * 100).toFixed(1)} % of ${each.count} right`,
      () => (each.tasks.length ? ["Wrong in: ", each.tasks.map((task) => [h("a", { href: cwm.store.href(task) }, names[task] ? names[task].id : `${task}`), " "])] : "")]);
    return cwm.charts.curves({ title: `Calibration of ${total.toLocaleString("en")} ${section.calibrated || "answers"}`, xLabel: "confidence", yLabel: "share right", xMost: 1, yMost: 1, percent: true, series: [{ name: "oracle", points, joined: false, radius: () => 6 }], lines: [[0, 0, 1, 1]], hint: "On the line, confidence and share right are equal." });
  }

  /** Calibration of single steps, which `verify` measures from the real state; the first guide's, since all share it. */
  function stepCalibration(section) {
    const found = section.figures?.[0]?.calibration?.steps;
    return found?.table ? calibration({ calibration: found.table.map((each) => ({ ...each, tasks: [] })), calibrated: "single steps from the real state" }) : null;
  }

  function figures(section) {
    if (!section.figures || !section.figures.length) return null;
    const columns = ["guide", "programs", "output_exact", "trace_exact", "step_exact", "by_rule", "d50", "d90", "tokens", "seconds"];
    const cell = (value) => (value === null || value === undefined ? "–" : typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : `${value}`);
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures" }, h("table", { class: "rows" }, h("caption", { class: "away" }, "Figures by guide"),
      h("thead", null, h("tr", null, columns.map((each) => h("th", { scope: "col", class: each === "guide" ? null : "numeric" }, each.replaceAll("_", " "))))), h("tbody", null, section.figures.map((row) => h("tr", null, columns.map((each) => h("td", { class: each === "guide" ? null : "numeric" }, cell(row[each]))))))));
  }

  function verificationPage(index) {
    return [h("h1", null, "Verification"), callout("warning", "Not everything can be shown", index.problems), index.verification.map((section) => [h("h2", null, section.title), section.note ? h("p", { class: "faint" }, section.note) : null, figures(section),
      h("div", { class: "charts" }, section.observations.length ? [survivalChart(section), kinds(section)] : null, calibration(section), stepCalibration(section))])];
  }

  return verificationPage;
})();
