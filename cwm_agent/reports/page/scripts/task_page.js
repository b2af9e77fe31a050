"use strict";
// One task: overview, theatre, search tree.
cwm.taskPage = (() => {
  const { h, status, mark, callout } = cwm.dom;

  function tests(data) {
    if (!data.tests || !data.tests.some((each) => each?.before)) return null;
    const rows = data.tests.map((each, at) => h("tr", null, h("th", { scope: "row" }, h("span", { class: "test-number" }, `${at + 1}`), h("code", null, cwm.text.shortened(each.text, 300))),
      h("td", null, each.expected === null || each.expected === undefined ? "–" : h("code", null, cwm.text.shortened(each.expected, 200))),
      h("td", null, mark(each.before[0]), " ", h("code", { class: "result" }, cwm.text.shortened(each.before[1] || "", 120))),
      h("td", null, each.after ? [mark(each.after[0]), " ", h("code", { class: "result" }, cwm.text.shortened(each.after[1] || "", 120))] : "–"),
      h("td", null, mark(each.trusted, ["imagined right", "imagined wrong", "not imagined"]))));
    return [h("h2", null, "Tests"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tests" }, h("table", { class: "rows tests" }, h("caption", { class: "away" }, "Tests before and after the patch"),
      h("thead", null, h("tr", null, ["Call", "Expected", "Before", "After", "Buggy run"].map((each) => h("th", { scope: "col" }, each)))), h("tbody", null, rows)))];
  }

  function cell([belief, real, value, sure, result], at, open) {
    const agree = belief === null || real === null ? "" : belief === real ? "agree" : "disagree";
    const words = `test ${at + 1}: imagined ${belief === null ? "nothing" : belief ? "pass" : "fail"}${value ? ` (${cwm.text.shortened(cwm.text.line(value), 80)})` : ""}${sure === null || sure === undefined ? "" : `, confidence ${sure}`}; real ${real === null ? "unknown" : real ? "pass" : "fail"}${result ? ` (${cwm.text.shortened(cwm.text.line(result), 80)})` : ""}`;
    const sign = (each) => (each === true ? "✓" : each === false ? "✗" : "·");
    const inside = [h("span", { class: `half ${belief === true ? "pass" : belief === false ? "fail" : "none"}`, "aria-hidden": "true" }, sign(belief)), h("span", { class: `half ${real === true ? "pass" : real === false ? "fail" : "none"}`, "aria-hidden": "true" }, sign(real)), h("span", { class: "away" }, words)];
    return open ? h("a", { class: `verdicts ${agree}`, href: open, title: words }, inside) : h("span", { class: `verdicts ${agree}`, title: words }, inside);
  }

  function candidates(data, number) {
    if (!data.runs || !data.runs.length) return null;
    const scenes = new Map((data.theatre ? data.theatre.scenes : []).map((scene, at) => [`${scene.run}/${scene.test}`, at]));
    const rows = data.runs.map((run, at) => h("tr", null, h("th", { scope: "row", class: "numeric" }, `${at + 1}`),
      h("td", null, run.patch.map((edit) => h("code", { class: "patch block" }, edit))), h("td", { class: "numeric" }, cwm.text.share(run.believed)), h("td", { class: "numeric" }, run.odds === null || run.odds === undefined ? "–" : run.odds.toFixed(1)),
      h("td", null, h("span", { class: "verdict-row" }, run.tests.map((each, test) => cell(each, test, scenes.has(`${at}/${test}`) ? `#/task/${number}/theatre/${scenes.get(`${at}/${test}`)}` : null))))));
    return [h("h2", null, data.plans ? "Plans that were carried out" : "Candidates that were run"), h("p", { class: "faint" }, "Each pair is one test: imagined on the left, real on the right. A pair with a ring is one where they disagree; underlined pairs open the theatre."),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Candidates" }, h("table", { class: "rows candidates" }, h("caption", { class: "away" }, "Candidates that were run, with imagined and real verdicts"),
        h("thead", null, h("tr", null, ["No.", data.plans ? "Commands" : "Edits", "Believed", "Log-odds", "Tests: imagined | real"].map((each) => h("th", { scope: "col" }, each)))), h("tbody", null, rows)))];
  }

  function overview(data, number) {
    const spent = Object.entries(data.spent || {}).filter(([, value]) => value);
    return [data.program ? [h("h2", null, data.patch ? "Patch" : "Program"), cwm.diffView(data.program.sides, data.heat)] : data.diff ? [h("h2", null, data.plans ? "Plan" : "Patch"), h("pre", { class: "program", tabindex: 0 }, h("code", null, data.diff))] : null,
      data.heat ? h("p", { class: "faint heat-key" }, h("span", { class: "heat-cell", vars: { "--heat": 1 }, "aria-hidden": "true" }), " The bar beside a line is its suspicion: the more failing and the fewer passing tests run it, the longer and darker.") : null,
      data.difference ? h("section", { class: "callout warning", "aria-label": "Another patch passes too" }, h("h2", null, "Another patch passes all tests and returns something else"),
        h("dl", { class: "pairs" }, data.difference.map(([name, text]) => [h("dt", null, name), h("dd", null, h("code", null, text))]))) : null,
      tests(data), callout("note", "What of the tests can be imagined", data.imagination), candidates(data, number), spent.length ? h("details", null, h("summary", null, "What it took"), h("dl", { class: "pairs" }, spent.map(([name, value]) => [h("dt", null, name.replaceAll("_", " ")), h("dd", null, Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2))]))) : null];
  }

  function sceneName(data, scene) {
    const test = data.tests?.[scene.test] ? cwm.text.shortened(cwm.text.line(data.tests[scene.test].text), 60) : "call";
    const program = scene.patch.length ? (scene.run === null || scene.run === undefined ? "candidate not run" : `candidate ${scene.run + 1}`) : "buggy program";
    const plan = scene.run === null || scene.run === undefined ? "" : `plan ${scene.run + 1}: `;
    return `${data.program ? `${program}: ` : plan}${test}${scene.divergence ? ` – parts at step ${scene.divergence.step}` : ""}`;
  }

  function theatre(data, number, chosen) {
    const scenes = data.theatre ? data.theatre.scenes : [];
    if (!scenes.length) return h("p", { class: "faint" }, "This episode holds no frames of imagined runs.");
    const at = Math.min(Math.max(0, chosen), scenes.length - 1);
    const select = h("select", { "aria-label": "Imagined run", onchange: (event) => { location.hash = `#/task/${number}/theatre/${event.target.value}`; } }, scenes.map((scene, place) => h("option", { value: place, selected: place === at }, sceneName(data, scene))));
    const scene = scenes[at];
    return [h("div", { class: "scene-choice" }, h("label", null, "Run ", select)), scene.patch.length ? h("p", null, scene.patch.map((edit) => h("code", { class: "patch block" }, edit))) : null, cwm.theatreView(scene, data.theatre.programs)];
  }

  function taskPage(data, number, part, chosen) {
    const tabs = [["", "Overview", Boolean(data.program || data.runs || data.diff)], ["theatre", "Theatre", Boolean(data.theatre?.scenes.length)], ["tree", "Search tree", Boolean(data.tree)]];
    const here = part || (tabs[0][2] ? "" : "theatre"), total = cwm.store.tasks().length;
    const near = (to, words) => (to >= 0 && to < total ? h("a", { href: cwm.store.href(to), rel: words }, words === "prev" ? "← Previous" : "Next →") : null);
    const body = here === "theatre" ? theatre(data, number, chosen) : here === "tree" ? (data.tree ? cwm.treeView(data, (scene) => `#/task/${number}/theatre/${scene}`) : h("p", { class: "faint" }, "This episode holds no search tree.")) : overview(data, number);
    return [h("div", { class: "task-head" }, h("h1", null, data.id), status(data.status), data.confidence === undefined ? null : h("span", { class: "faint", title: "Calibrated chance that the patch is right" }, `confidence ${cwm.text.share(data.confidence)}`), h("nav", { class: "near", "aria-label": "Other tasks" }, near(number - 1, "prev"), near(number + 1, "next"))),
      data.problem ? h("pre", { class: "program problem", tabindex: 0 }, h("code", null, data.problem)) : null,
      h("nav", { class: "tabs", "aria-label": "Parts of this task" }, tabs.map(([key, label, there]) => h("a", { href: `#/task/${number}${key ? `/${key}` : ""}`, class: there ? null : "missing", "aria-current": here === key ? "page" : null }, label))),
      callout("note", "What this episode lacks", data.lacks), body];
  }

  return taskPage;
})();
