"use strict";
// One frame drawn: functions under way with their variables, objects as boxes, references as arrows.
cwm.heapView = (() => {
  const { h, svg, replace } = cwm.dom;
  const REFERENCE = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|#(\d+)/gs;
  const MOST = 1200;

  /** A value's text, with its references as chips. */
  function value(text, links) {
    const parts = [];
    let from = 0;
    const shown = cwm.text.shortened(text, MOST);
    for (const found of shown.matchAll(REFERENCE)) {
      if (found[1] === undefined) continue;
      parts.push(shown.slice(from, found.index));
      const chip = h("span", { class: "ref", "data-ref": found[1] }, `#${found[1]}`);
      if (links) links.push(chip);
      parts.push(chip);
      from = found.index + found[0].length;
    }
    return [...parts, shown.slice(from)];
  }

  function row(name, text, key, marks, links, dim) {
    const state = marks.wrong.has(key) ? "wrong" : marks.changed.has(key) ? "changed" : "";
    const note = state === "wrong" ? "differs from the other run" : state === "changed" ? "changed in this step" : null;
    return h("tr", { class: `${state} ${dim ? "dim" : ""}` }, h("th", { scope: "row" }, name), h("td", null, h("code", null, value(text, links)), note ? h("span", { class: "away" }, ` (${note})`) : null));
  }

  const kind = (text) => {
    if (text.startsWith("[")) return "list";
    if (/^\{.*:/s.test(text)) return "dict";
    if (text.startsWith("{") || text.startsWith("set(")) return "set";
    return (text.match(/^[A-Za-z_][\w.]*/) || ["object"])[0];
  };

  function draw(frame, marks, temporaries) {
    const links = [];
    const stack = cwm.frames.stack(frame).map((each, depth) => {
      const names = Object.keys(each.locals).sort((one, other) => hiddenName(one, temporaries) - hiddenName(other, temporaries));
      const title = each.function ? `${each.function}()` : "variables";
      return h("table", { class: "activation" }, h("caption", null, title, each.function ? h("span", { class: "at" }, ` line ${each.line}`) : null),
        h("tbody", null, names.length ? names.map((name) => row(name, each.locals[name], `${depth}:${name}`, marks, links, hiddenName(name, temporaries))) : h("tr", null, h("td", { class: "empty", colspan: 2 }, "no variables"))));
    });
    const globals = Object.entries(frame.globals || {});
    if (globals.length) stack.unshift(h("table", { class: "activation" }, h("caption", null, "module"), h("tbody", null, globals.map(([name, text]) => row(name, text, `g:${name}`, marks, links)))));
    const objects = Object.entries(frame.heap || {}).map(([label, text]) => {
      const key = `#${label}`;
      const state = marks.wrong.has(key) ? "wrong" : marks.changed.has(key) ? "changed" : "";
      return h("div", { class: `object ${state}`, "data-label": label }, h("span", { class: "label" }, `#${label} ${kind(text)}`), h("code", null, value(text, links)));
    });
    const arrows = svg("svg", { class: "arrows", "aria-hidden": "true" });
    const heap = frame.heap ? h("div", { class: "objects" }, objects.length ? objects : h("p", { class: "empty" }, "no objects")) : null;
    return { element: h("div", { class: "state" }, h("div", { class: "stack" }, stack.reverse()), heap, arrows), links, arrows, objects };
  }

  const hiddenName = (name, temporaries) => Number(temporaries.has(name) || name.startsWith("@"));

  /** Draw the arrows of a state; its elements must be in the page, since places are measured. */
  function connect(drawn) {
    const area = drawn.element.getBoundingClientRect();
    if (!area.width) return;
    const boxes = new Map(drawn.objects.map((each) => [each.getAttribute("data-label"), each.getBoundingClientRect()]));
    const paths = drawn.links.slice(0, 80).map((link) => {
      const to = boxes.get(link.getAttribute("data-ref"));
      if (!to) return null;
      const from = link.getBoundingClientRect();
      const inside = from.left >= to.left - 1 && from.right <= to.right + 1 && from.top >= to.top - 1 && from.bottom <= to.bottom + 1;
      if (inside) return null;
      const x1 = from.right - area.left + 1, y1 = (from.top + from.bottom) / 2 - area.top;
      const right = to.left - area.left > x1;
      const x2 = right ? to.left - area.left - 2 : to.right - area.left + 2, y2 = Math.min(to.top + 14, to.bottom) - area.top;
      const bend = Math.max(18, Math.abs(x2 - x1) / 2);
      const away = right ? x2 - bend : x2 + bend;
      return svg("path", { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${away} ${y2} ${x2} ${y2}`, "marker-end": "url(#arrow-head)" });
    });
    drawn.arrows.setAttribute("viewBox", `0 0 ${area.width} ${area.height}`);
    replace(drawn.arrows, svg("defs", null, svg("marker", { id: "arrow-head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { class: "head", d: "M0 0L8 4L0 8Z" }))), paths);
  }

  return { draw, connect };
})();
