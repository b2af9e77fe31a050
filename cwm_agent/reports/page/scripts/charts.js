"use strict";
// Small charts: curves and bars in SVG. Every point can be reached by keyboard, and names what lies behind it.
cwm.charts = (() => {
  const { h, svg, replace } = cwm.dom;
  const WIDTH = 560, HEIGHT = 250, LEFT = 72, RIGHT = 14, TOP = 14, BOTTOM = 40;
  const DASHES = ["", "7 4", "2 3", "9 3 2 3"];

  function ticks(most, whole) {
    const raw = most / 5, power = 10 ** Math.floor(Math.log10(raw || 1));
    let step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw) || 1;
    if (whole) step = Math.max(1, step);
    const found = [];
    for (let at = 0; at <= most * 1.0001; at += step) found.push(Number(at.toPrecision(6)));
    return found;
  }

  function axes({ xMost, yMost, xLabel, yLabel, wholeX, wholeY, percent }, x, y) {
    const parts = [];
    for (const value of ticks(yMost, wholeY)) {
      parts.push(svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
      parts.push(svg("text", { class: "tick", x: LEFT - 7, y: y(value) + 4, "text-anchor": "end" }, percent ? `${Math.round(value * 100)}%` : `${value}`));
    }
    for (const value of ticks(xMost, wholeX))
      parts.push(svg("text", { class: "tick", x: x(value), y: HEIGHT - BOTTOM + 17, "text-anchor": "middle" }, `${value}`));
    parts.push(svg("text", { class: "axis", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, xLabel));
    parts.push(svg("text", { class: "axis", x: 12, y: (TOP + HEIGHT - BOTTOM) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(TOP + HEIGHT - BOTTOM) / 2})` }, yLabel));
    return parts;
  }

  function line(points, x, y, stepped) {
    let path = "";
    points.forEach(([px, py], at) => {
      if (!at) path = `M${x(px)} ${y(py)}`;
      else path += stepped ? `H${x(px)}V${y(py)}` : `L${x(px)} ${y(py)}`;
    });
    return path;
  }

  /** Series of points `[x, y, words, links]`; `links` are elements shown below the chart when a point is chosen. */
  function curves(options) {
    const x = (value) => LEFT + (value / (options.xMost || 1)) * (WIDTH - LEFT - RIGHT);
    const y = (value) => HEIGHT - BOTTOM - (value / (options.yMost || 1)) * (HEIGHT - TOP - BOTTOM);
    const behind = h("p", { class: "behind", "aria-live": "polite" }, options.hint || "");
    const drawn = options.series.map((each, at) => {
      const group = svg("g", { class: `series s${at % 6}` });
      if (each.joined !== false)
        group.append(svg("path", { class: "curve", d: line(each.points, x, y, each.stepped), "stroke-dasharray": DASHES[at % 4] }));
      for (const [px, py, words, links] of each.points) {
        if (!words) continue;
        const show = () => replace(behind, h("strong", null, words), links ? [" ", links()] : null);
        const point = svg("circle", { class: "point", cx: x(px), cy: y(py), r: each.radius ? each.radius(px) : 4, tabindex: 0, role: "img", "aria-label": words, onmouseenter: show, onfocus: show, onclick: show }, svg("title", null, words));
        group.append(point);
      }
      return group;
    });
    const extra = (options.lines || []).map(([x1, y1, x2, y2]) => svg("line", { class: "guide", x1: x(x1), y1: y(y1), x2: x(x2), y2: y(y2) }));
    const legend = options.series.length > 1 || options.legend ? h("ul", { class: "legend" }, options.series.map((each, at) =>
      h("li", null, svg("svg", { class: `swatch series s${at % 6}`, viewBox: "0 0 28 8", "aria-hidden": "true" }, svg("path", { class: "curve", d: "M0 4H28", "stroke-dasharray": DASHES[at % 4] })), each.name))) : null;
    const image = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": options.title }, axes(options, x, y), extra, drawn);
    return h("figure", { class: "chart" }, h("figcaption", null, options.title), legend, image, behind);
  }

  /** Horizontal bars `{name, value, words, links}`. */
  function bars({ title, rows, hint }) {
    const most = Math.max(1, ...rows.map((each) => each.value));
    const behind = h("p", { class: "behind", "aria-live": "polite" }, hint || "");
    const list = h("ul", { class: "bars" }, rows.map((each) => {
      const show = () => replace(behind, h("strong", null, each.words), each.links ? [" ", each.links()] : null);
      return h("li", null, h("button", { type: "button", class: "bar-row", onmouseenter: show, onfocus: show, onclick: show, "aria-label": each.words },
        h("span", { class: "bar-name" }, each.name),
        h("span", { class: "bar-track", "aria-hidden": "true" }, h("span", { class: "bar-fill", vars: { "--share": each.value / most } })),
        h("span", { class: "bar-value" }, `${each.value}`)));
    }));
    return h("figure", { class: "chart" }, h("figcaption", null, title), list, behind);
  }

  return { curves, bars };
})();
