"use strict";
// Elements from data. Children are elements or texts; a text is never markup.
cwm.dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
      else element.setAttribute(name, value === true ? "" : cwm.text.visible(value));
    }
    append(element, children);
    return element;
  }

  function append(element, children) {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : document.createTextNode(cwm.text.visible(child)));
    }
  }

  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  const replace = (element, ...children) => {
    element.replaceChildren();
    append(element, children);
    return element;
  };

  function callout(kind, title, items) {
    if (!items || !items.length) return null;
    return h("section", { class: `callout ${kind}`, "aria-label": title },
      h("h2", null, title), h("ul", null, items.map((each) => h("li", null, each))));
  }

  const STATUS = {
    right: ["✓", "Solved, and the hidden tests pass"],
    solved: ["✓", "All visible tests pass"],
    overfits: ["!", "The visible tests pass, a hidden one fails"],
    open: ["–", "Not solved within the budget"],
    failed: ["×", "The task could not be worked on"],
    wrong: ["×", "Imagined and real run part"],
    censored: ["–", "Right as far as it was imagined"],
  };

  function status(word) {
    const [sign, title] = STATUS[word] || ["?", "Unknown"];
    return h("span", { class: `status ${word}`, title }, h("span", { "aria-hidden": "true" }, sign), ` ${word}`);
  }

  function mark(value, words = ["passes", "fails", "not known"]) {
    const [kind, sign, word] = value === true ? ["pass", "✓", words[0]] : value === false ? ["fail", "✗", words[1]] : ["none", "·", words[2]];
    return h("span", { class: `mark ${kind}` }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "word" }, ` ${word}`));
  }

  return { h, svg, replace, callout, status, mark };
})();
