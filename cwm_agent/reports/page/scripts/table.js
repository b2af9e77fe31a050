"use strict";
// A table that is sorted by its heads, filtered by a word and by choices.
cwm.table = (() => {
  const { h, replace } = cwm.dom;

  const compared = (one, other) => {
    if (one === other) return 0;
    if (one === null || one === undefined) return 1;
    if (other === null || other === undefined) return -1;
    return typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "en", { numeric: true });
  };

  /** Columns `{key, label, numeric, cell(row), title}`; `choices` are `[key, label]` of columns to choose a value of. */
  function table({ caption, columns, rows, choices = [], searched = (row) => JSON.stringify(row), empty = "Nothing matches." }) {
    const state = { key: null, down: false, word: "", chosen: new Map() };
    const body = h("tbody");
    const counted = h("p", { class: "counted", role: "status" });
    const heads = new Map();
    const numbered = rows.map((row, at) => ({ row, at, text: searched(row).toLowerCase() }));

    function shown() {
      const word = state.word.trim().toLowerCase();
      const found = numbered.filter(({ row, text }) => text.includes(word) && [...state.chosen].every(([key, value]) => !value || String(row[key]) === value));
      if (state.key) found.sort((one, other) => (compared(one.row[state.key], other.row[state.key]) || one.at - other.at) * (state.down ? -1 : 1));
      return found;
    }

    function update() {
      const found = shown();
      replace(body, found.length ? found.map(({ row }) => h("tr", null, columns.map((column, at) =>
        h(at ? "td" : "th", { scope: at ? null : "row", class: column.numeric ? "numeric" : null, "data-label": column.label }, column.cell ? column.cell(row) : `${row[column.key] ?? "–"}`))))
        : h("tr", null, h("td", { colspan: columns.length, class: "empty" }, empty)));
      counted.textContent = `${found.length} of ${rows.length} shown`;
      for (const [key, head] of heads) head.setAttribute("aria-sort", state.key === key ? (state.down ? "descending" : "ascending") : "none");
    }

    const head = h("tr", null, columns.map((column) => {
      const sort = () => {
        state.down = state.key === column.key ? !state.down : Boolean(column.numeric);
        state.key = column.key;
        update();
      };
      const cell = h("th", { scope: "col", class: column.numeric ? "numeric" : null, "aria-sort": "none" }, h("button", { type: "button", class: "sort", title: column.title || null, onclick: sort }, column.label));
      heads.set(column.key, cell);
      return cell;
    }));
    const word = h("input", { type: "search", placeholder: "Search", "aria-label": `Search ${caption}`, oninput: (event) => { state.word = event.target.value; update(); } });
    const selects = choices.map(([key, label]) => {
      const values = [...new Set(rows.map((row) => String(row[key])))].sort();
      return h("label", { class: "choice" }, label, " ", h("select", { onchange: (event) => { state.chosen.set(key, event.target.value); update(); } },
        h("option", { value: "" }, "all"), values.map((each) => h("option", { value: each }, each))));
    });
    update();
    return h("div", { class: "table-block" }, h("div", { class: "table-tools" }, word, selects, counted),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, h("table", { class: "rows" }, h("caption", { class: "away" }, caption), h("thead", null, head), body)));
  }

  return table;
})();
