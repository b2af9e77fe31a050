"use strict";
// A program beside its patched version, with the suspicion of each line as a strip.
cwm.diffView = (() => {
  const { h } = cwm.dom;

  /** The parts of two lines that both have at their ends, and what differs between them. */
  function parted(one, other) {
    let start = 0, end = 0;
    const most = Math.min(one.length, other.length);
    while (start < most && one[start] === other[start]) start += 1;
    while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
    return [start, end];
  }

  function code(text, mate, kind) {
    if (text === null) return h("code", null, "");
    if (kind !== "changed" || mate === null) return h("code", null, text);
    const [start, end] = parted(text, mate);
    return h("code", null, text.slice(0, start), h("mark", null, text.slice(start, text.length - end)), text.slice(text.length - end));
  }

  function heat(value) {
    if (value === undefined) return h("td", { class: "heat" });
    const words = `suspicion ${value.toFixed(2)}`;
    return h("td", { class: "heat", title: words }, h("span", { class: "heat-cell", vars: { "--heat": value } }, h("span", { class: "away" }, words)));
  }

  const SIGNS = { same: "", changed: "~", added: "+", removed: "−" };

  function listing(sides, by) {
    const rows = sides.map(([number, text]) => h("tr", null, heat(by.get(number)), h("td", { class: "number" }, `${number}`), h("td", null, h("code", null, text))));
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Program" }, h("table", { class: "diff alone" },
      h("caption", { class: "away" }, "The program; the first column is the suspicion of each line"), columns(["heat-column", "number-column", ""]), h("tbody", null, rows)));
  }

  const columns = (names) => h("colgroup", null, names.map((each) => h("col", { class: each })));

  /** Both versions beside each other; the program alone where nothing was changed. */
  function diffView(sides, heats) {
    const by = new Map(heats || []);
    if (sides.every((row) => row[4] === "same")) return listing(sides, by);
    const rows = sides.map(([left, before, right, after, kind]) => h("tr", { class: kind },
      heat(left === null ? undefined : by.get(left)),
      h("td", { class: "number" }, left === null ? "" : `${left}`), h("td", { class: "before" }, code(before, after, kind)),
      h("td", { class: "sign" }, SIGNS[kind] || ""),
      h("td", { class: "number" }, right === null ? "" : `${right}`), h("td", { class: "after" }, code(after, before, kind))));
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Program before and after" }, h("table", { class: "diff" },
      h("caption", { class: "away" }, "The program before and after the patch; the first column is the suspicion of each line"),
      columns(["heat-column", "number-column", "", "sign-column", "number-column", ""]),
      h("thead", null, h("tr", null, h("th", { scope: "col", title: "Ochiai suspicion" }, h("span", { class: "away" }, "Suspicion")), h("th", { scope: "col", colspan: 2 }, "Before"), h("th", { scope: "col" }, h("span", { class: "away" }, "Change")), h("th", { scope: "col", colspan: 2 }, "After"))),
      h("tbody", null, rows)));
  }

  return diffView;
})();
