"use strict";
// Studies: the question, the figures and the tables of each.
cwm.studyPage = (() => {
  const { h, callout } = cwm.dom;

  function studyPage(index) {
    return [h("h1", null, index.title), callout("warning", "Not everything can be shown", index.problems), index.studies.map((study) => h("section", { class: "study" }, h("h2", null, study.name), h("p", { class: "lead" }, study.question),
      study.figures.map(([name, data]) => h("figure", { class: "study-figure" }, h("img", { src: data, alt: `Figure ${name}: the table below has its numbers`, loading: "lazy" }), h("figcaption", null, name))),
      study.tables.map((rows, at) => h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table ${at + 1} of ${study.name}` }, h("table", { class: "rows" }, h("thead", null, h("tr", null, rows[0].map((each) => h("th", { scope: "col" }, each)))), h("tbody", null, rows.slice(1).map((row) => h("tr", null, row.map((each) => h("td", null, each)))))))))) ];
  }

  return studyPage;
})();
