"use strict";
// The tree of the search: size for visits, colour for value; a slider shows it as it grew.
cwm.treeView = (() => {
  const { h, replace } = cwm.dom;
  const AT_ONCE = 60;
  const [PARENT, ACTION, VALUE, VISITS, PRIOR, END, FLAGS, NOTE, EDIT] = Array.from({ length: 9 }, (_, at) => at);
  const LETTERS = { p: ["pass", "believed to pass"], f: ["fail", "believed to fail"], u: ["none", "unknown"], "-": ["none", "not imagined"] };

  function sources(nodes, first) {
    const found = [first];
    nodes.forEach((node, at) => {
      if (!at) return;
      const before = found[node[PARENT]], edit = node[EDIT];
      found.push(before === undefined || before === null || !edit ? null : before.slice(0, edit[0]) + edit[2] + before.slice(edit[1]));
    });
    return found;
  }

  const patchOf = (nodes, at) => {
    const found = [];
    for (let here = at; here > 0; here = nodes[here][PARENT]) found.unshift(...nodes[here][ACTION].split(" ; "));
    return found;
  };

  function treeView(data, open) {
    const nodes = data.tree.nodes, programs = sources(nodes, data.program ? data.program.source : null);
    const most = Math.max(1, ...nodes.slice(1).map((each) => each[VISITS] || 0));
    const values = nodes.map((each) => each[VALUE]).filter((each) => each !== null);
    const low = Math.min(...values, 0), high = Math.max(...values, low + 1e-6);
    const state = { until: nodes.length, order: "value", open: new Set([0]), shown: new Map(), chosen: 0 };
    const rest = h("div", { class: "tree-box" }), detail = h("div", { class: "node-detail", "aria-live": "polite" }), grown = h("output", null);

    function children(at) {
      const found = [];
      for (let each = at + 1; each < state.until; each += 1) if (nodes[each][PARENT] === at) found.push(each);
      const key = { value: (each) => -(nodes[each][VALUE] ?? -9), visits: (each) => -nodes[each][VISITS], growth: (each) => each }[state.order];
      return found.sort((one, other) => key(one) - key(other) || one - other);
    }

    const shade = (value) => (value === null ? 0 : (value - low) / (high - low));
    const flags = (node) => [node[FLAGS].includes("r") ? "run for real" : "", node[FLAGS].includes("p") ? "proposed beside the planner" : "", node[END] || ""].filter(Boolean);

    const letters = (note) => h("span", { class: "letters" }, h("span", { class: "away" }, "beliefs about the tests: "), [...note].slice(0, 24).map((letter) => {
      const [kind, words] = LETTERS[letter] || LETTERS["-"];
      return h("span", { class: `letter ${kind}`, title: words }, letter);
    }));

    function label(at) {
      const node = nodes[at];
      const value = node[VALUE] === null ? "no value" : `value ${node[VALUE].toFixed(3)}`;
      return [h("span", { class: `ball ${node[FLAGS].includes("p") ? "proposed" : ""}`, "aria-hidden": "true", vars: { "--size": Math.min(1, Math.sqrt((node[VISITS] || 0) / most)), "--shade": shade(node[VALUE]) } }),
        h("span", { class: "action" }, at ? cwm.text.shortened(cwm.text.line(node[ACTION]), 110) : "the buggy program"),
        node[NOTE] ? letters(node[NOTE]) : h("span"),
        h("span", { class: "figures" }, value, node[VISITS] ? `, ${cwm.text.count(node[VISITS], "visit", "visits")}` : "", flags(node).length ? h("span", { class: "flags" }, ` ${flags(node).join(", ")}`) : null)];
    }

    function item(at, level) {
      const inside = children(at), isOpen = state.open.has(at);
      const line = h("div", { class: "tree-line", onclick: () => { toggle(at, inside.length); } }, h("span", { class: "twist", "aria-hidden": "true" }, inside.length ? (isOpen ? "▾" : "▸") : ""), label(at));
      const found = h("li", { role: "treeitem", "data-node": at, "aria-level": level, "aria-selected": state.chosen === at ? "true" : "false", "aria-expanded": inside.length ? String(isOpen) : null, tabindex: state.chosen === at ? 0 : -1 }, line);
      if (inside.length && isOpen) {
        const shown = state.shown.get(at) || AT_ONCE;
        found.append(h("ul", { role: "group" }, inside.slice(0, shown).map((each) => item(each, level + 1)),
          inside.length > shown ? h("li", { role: "none" }, h("button", { type: "button", class: "quiet", onclick: () => { state.shown.set(at, shown + 200); draw(); } }, `Show ${Math.min(200, inside.length - shown)} more of ${inside.length}`)) : null));
      }
      return found;
    }

    function draw() {
      const focused = rest.contains(document.activeElement);
      grown.textContent = `${Math.min(state.until, nodes.length)} of ${nodes.length} nodes`;
      replace(rest, h("ul", { role: "tree", "aria-label": "Search tree", class: "tree", onkeydown: keys }, item(0, 1)));
      if (focused) focus();
    }

    const focus = () => { const found = rest.querySelector(`[data-node="${state.chosen}"]`); if (found) found.focus(); };

    function toggle(at, hasChildren) {
      if (hasChildren && (state.chosen === at || !state.open.has(at))) state.open.has(at) ? state.open.delete(at) : state.open.add(at);
      choose(at);
    }

    function choose(at) {
      state.chosen = at;
      draw();
      replace(detail, described(at));
      focus();
    }

    function keys(event) {
      const items = [...rest.querySelectorAll("[role=treeitem]")];
      const here = items.indexOf(document.activeElement);
      if (here < 0) return;
      const at = state.chosen, inside = children(at).length;
      const to = (index) => { if (items[index]) choose(Number(items[index].getAttribute("data-node"))); };
      const opened = (open) => { state.open[open ? "add" : "delete"](at); choose(at); };
      const act = {
        ArrowDown: () => to(here + 1), ArrowUp: () => to(here - 1), Home: () => to(0), End: () => to(items.length - 1),
        ArrowRight: () => (inside && !state.open.has(at) ? opened(true) : to(here + 1)),
        ArrowLeft: () => (inside && state.open.has(at) ? opened(false) : at && choose(nodes[at][PARENT])),
        Enter: () => toggle(at, inside), " ": () => toggle(at, inside),
      }[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    }

    function described(at) {
      const node = nodes[at], patch = patchOf(nodes, at).join("\n");
      const scenes = (data.theatre ? data.theatre.scenes : []).map((scene, number) => [scene, number]).filter(([scene]) => scene.patch.join("\n") === patch);
      const tests = [...(node[NOTE] || "")].map((letter, test) => h("li", null, cwm.dom.mark({ p: true, f: false }[letter] ?? null, ["believed to pass", "believed to fail", letter === "u" ? "unknown" : "not imagined"]), " ", h("code", null, data.tests?.[test] ? cwm.text.shortened(cwm.text.line(data.tests[test].text), 70) : `test ${test + 1}`)));
      return [h("h3", null, at ? "Candidate" : "The buggy program"), at ? h("p", null, h("code", null, node[ACTION])) : null,
        h("dl", { class: "pairs" }, [["value", node[VALUE] === null ? "none" : node[VALUE].toFixed(4)], ["visits", node[VISITS]], ["prior", node[PRIOR] === null ? "none" : node[PRIOR].toFixed(4)], ["end", node[END] || "none"], ["told as", at ? `number ${at}` : "the root"]].map(([name, text]) => [h("dt", null, name), h("dd", null, `${text}`)])),
        tests.length ? h("ul", { class: "plain" }, tests) : null,
        scenes.length ? h("p", null, scenes.map(([scene, number]) => h("a", { class: "button", href: open(number) }, `Imagined run of test ${scene.test + 1}`))) : h("p", { class: "faint" }, "No frames of this candidate are kept."),
        programs[at] ? program(at) : h("p", { class: "faint" }, "Its program is not known.")];
    }

    function program(at) {
      const edit = nodes[at][EDIT], text = programs[at];
      const parts = edit ? [text.slice(0, edit[0]), h("mark", null, text.slice(edit[0], edit[0] + edit[2].length) || "␡"), text.slice(edit[0] + edit[2].length)] : [text];
      return h("pre", { class: "program", tabindex: 0, "aria-label": "Program of this node" }, h("code", null, parts));
    }

    const slider = h("input", { type: "range", min: 1, max: nodes.length, value: nodes.length, "aria-label": "Growth of the tree", oninput: () => { state.until = Number(slider.value); if (state.chosen >= state.until) state.chosen = 0; draw(); } });
    const order = h("select", { onchange: (event) => { state.order = event.target.value; draw(); } }, ["value", "visits", "growth"].map((each) => h("option", { value: each }, each)));
    draw();
    replace(detail, described(0));
    return h("div", { class: "tree-view" },
      h("div", { class: "tree-tools" }, h("label", null, "Growth ", slider), grown, h("label", { class: "choice" }, "Order by ", order)),
      data.tree.left_out ? h("p", { class: "faint" }, `${cwm.text.count(data.tree.left_out, "node", "nodes")} with few visits are not kept.`) : null,
      data.tree.searches > 1 ? h("p", { class: "faint" }, `The last of ${data.tree.searches} searches.`) : null,
      h("div", { class: "tree-split" }, rest, detail));
  }

  return treeView;
})();
