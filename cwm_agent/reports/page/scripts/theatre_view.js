"use strict";
// The imagined run beside the real one, step by step.
cwm.theatreView = (() => {
  const { h, svg, replace } = cwm.dom;
  const DECIDED = { m: ["model", "the model's answer"], g: ["guide", "the model, among the lines that the guide allows"], r: ["rule", "a rule, without the model"], w: ["given", "given: known before"] };
  const KINDS = {
    action: "the next line is another one",
    "control-state": "a wrong value that decides which way the program goes",
    state: "a wrong value",
    malformed: "the model's text is no answer",
    outcome: "the runs end differently",
  };

  function listing(program, label) {
    const lines = program.lines.map((text, at) => h("li", { value: at + 1 }, h("span", { class: "number", "aria-hidden": "true" }, `${at + 1}`), h("code", null, text)));
    const list = h("ol", { class: "listing" }, lines);
    let current = null;
    return {
      element: h("div", { class: "listing-box", tabindex: 0, role: "region", "aria-label": `Program, ${label} run` }, list),
      go(number, wrong) {
        if (current) current.className = "";
        current = lines[number - 1] || null;
        if (!current) return;
        current.className = wrong ? "current wrong" : "current";
        const box = current.parentElement.parentElement;
        const top = current.offsetTop, visible = top >= box.scrollTop && top + current.offsetHeight <= box.scrollTop + box.clientHeight;
        if (!visible) box.scrollTop = Math.max(0, top - box.clientHeight / 2);
      },
    };
  }

  function eventWords(frame) {
    if (!frame) return "the run is over";
    if (frame.event === "return") return `returns ${frame.arg ?? "None"}`;
    if (frame.event === "exception") return `raises ${frame.arg ?? ""}`;
    return frame.event === "call" ? "is called" : `line ${cwm.frames.lineOf(frame)} is next`;
  }

  function pane(name, program, frames, ending) {
    const text = listing(program, name), state = h("div", { class: "state-box" }), head = h("p", { class: "pane-event" });
    const temporaries = new Set(program.temporaries);
    let drawn = null;
    return {
      element: h("section", { class: `pane ${name}`, "aria-label": `${name} run` }, h("h3", null, name === "imagined" ? "Imagined" : "Real"), head, text.element, state),
      show(at, wrong) {
        const frame = frames[Math.min(at, frames.length - 1)], over = at >= frames.length;
        const before = at > 0 ? frames[Math.min(at, frames.length - 1) - 1] : null;
        const changed = new Set(before && frame && !over ? cwm.frames.differences(before, frame) : []);
        replace(head, over ? ["ended at step ", `${frames.length - 1}`, ": ", ending] : eventWords(frame));
        head.classList.toggle("wrong", wrong.has("event") || wrong.has("line") || wrong.has("arg") || wrong.has("end"));
        text.go(over ? 0 : cwm.frames.lineOf(frame), wrong.has("line"));
        drawn = cwm.heapView.draw(frame, { changed, wrong }, temporaries);
        drawn.element.classList.toggle("over", over);
        replace(state, drawn.element);
      },
      connect: () => drawn && cwm.heapView.connect(drawn),
    };
  }

  const ended = (run) => (run.outcome ? `${run.outcome[0]} ${cwm.text.shortened(cwm.text.line(run.outcome[1]), 300)}` : `${run.end || ""}${run.reason ? `: ${run.reason}` : ""}`);

  function strip(marks, total, first) {
    const parts = [];
    for (let at = 0; at < marks.length;) {
      let end = at;
      while (end < marks.length && marks[end] === marks[at]) end += 1;
      parts.push(svg("rect", { class: `by-${marks[at]}`, x: at, y: 0, width: end - at, height: 8 }));
      at = end;
    }
    if (first !== null) parts.push(svg("rect", { class: "after-divergence", x: first, y: 8, width: Math.max(total - first, total / 200), height: 4 }));
    return svg("svg", { class: "strip", viewBox: `0 0 ${Math.max(1, total)} 12`, preserveAspectRatio: "none", "aria-hidden": "true" }, parts);
  }

  function followed(scene, divergences) {
    if (!scene.divergence) return null;
    const { step, kind, detail } = scene.divergence;
    const later = divergences.filter((each) => each > step).length;
    const same = scene.imagined.outcome && scene.real && scene.imagined.outcome.join(" ") === scene.real.outcome.join(" ");
    return h("div", { class: "verdict wrong", role: "note" },
      h("p", null, h("strong", null, `First divergence at step ${step}: ${kind}`), detail ? ` (${detail})` : "", ` – ${KINDS[kind] || "the runs differ"}.`),
      h("p", null, later ? `What followed: the difference changed ${cwm.text.count(later, "more time", "more times")}. ` : "What followed: nothing else went wrong. ",
        same ? "The result is the same all the same." : `Imagined: ${ended(scene.imagined)}. Real: ${ended(scene.real)}.`));
  }

  function confidence(scene) {
    const found = [];
    let next = 0;
    for (const mark of scene.imagined.marks) found.push("mg".includes(mark) && scene.imagined.logprobs.length ? Math.exp(scene.imagined.logprobs[next++]) : null);
    return found;
  }

  /** Controls and both panes of one scene; arrow keys step, d goes to the next divergence. */
  function theatreView(scene, programs) {
    const { imagined, real } = cwm.frames.runs(scene), program = programs[scene.program];
    const divergences = cwm.frames.divergences(imagined, real);
    if (scene.divergence && !divergences.includes(scene.divergence.step)) divergences.push(scene.divergence.step);
    divergences.sort((one, other) => one - other);
    const compared = real && scene.divergence ? real.length : 0;
    const last = Math.max(imagined.length, compared, scene.divergence ? scene.divergence.step + 1 : 0) - 1;
    const left = pane("imagined", program, imagined, ended(scene.imagined));
    const right = real ? pane("real", program, real, ended(scene.real)) : null;
    const sure = confidence(scene);
    const slider = h("input", { type: "range", min: 0, max: last, value: 0, step: 1, "aria-label": "Step", oninput: () => go(Number(slider.value)) });
    const where = h("output", { class: "where", "aria-live": "polite" });
    let step = 0, waiting = false;

    function render() {
      waiting = false;
      const wrong = new Set(real ? cwm.frames.differences(imagined[step], real[step]) : []);
      if (scene.divergence && step >= scene.divergence.step && !(imagined[step] && real[step])) wrong.add("end");
      left.show(step, wrong);
      if (right) right.show(step, wrong);
      const mark = scene.imagined.marks[step], by = DECIDED[mark];
      const parts = [h("span", { class: "step-number" }, `Step ${step} of ${last}`)];
      if (by) parts.push(h("span", { class: `by by-${mark}`, title: by[1] }, `decided by: ${by[0]}`));
      if (sure[step] !== null && sure[step] !== undefined) parts.push(h("span", { class: "sure", vars: { "--sure": sure[step] } }, `confidence ${sure[step].toFixed(3)}`));
      if (wrong.size) parts.push(h("span", { class: "parts-here" }, scene.divergence && step === scene.divergence.step ? `first divergence: ${scene.divergence.kind}` : "differs"));
      replace(where, parts);
      left.connect();
      if (right) right.connect();
    }

    function go(to) {
      step = Math.min(last, Math.max(0, to));
      slider.value = step;
      slider.setAttribute("aria-valuetext", `step ${step} of ${last}`);
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(render);
    }

    const nextWrong = () => { const found = divergences.find((each) => each > step); if (found !== undefined) go(found); };
    const previousWrong = () => { const found = divergences.findLast((each) => each < step); if (found !== undefined) go(found); };
    const KEYS = { ArrowRight: () => go(step + 1), ArrowLeft: () => go(step - 1), Home: () => go(0), End: () => go(last), PageDown: () => go(step + 10), PageUp: () => go(step - 10), d: nextWrong, D: previousWrong };

    function onKey(event) {
      if (!element.isConnected) return document.removeEventListener("keydown", onKey);
      const typing = event.target.matches?.("input[type=search], select, [role=treeitem], [role=tab]");
      const act = KEYS[event.key];
      if (!act || typing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
      event.preventDefault();
      return act();
    }

    const button = (label, text, act, keys) => h("button", { type: "button", onclick: act, "aria-label": label, title: keys ? `${label} (${keys})` : label }, text);
    const element = h("div", { class: "theatre" },
      followed(scene, divergences) || h("p", { class: "verdict right" }, real ? (scene.complete ? "Imagined and real run are equal, from the call to the result." : `Equal as far as both go. Imagined: ${ended(scene.imagined)}.`) : "The real run is not part of this report: only the imagined one is shown."),
      h("div", { class: "controls", role: "group", "aria-label": "Steps" },
        h("div", { class: "buttons" }, button("First step", "|◀", () => go(0), "Home"), button("Step back", "◀", () => go(step - 1), "arrow left"), button("Step forward", "▶", () => go(step + 1), "arrow right"), button("Last step", "▶|", () => go(last), "End"),
          h("button", { type: "button", class: "next-wrong", onclick: nextWrong, disabled: !divergences.length, title: "Next divergence (d)" }, "Next divergence ", h("kbd", null, "d"))),
        h("div", { class: "scrubber" }, strip(scene.imagined.marks, last + 1, divergences.length ? divergences[0] : null), slider), where),
      h("ul", { class: "legend keys" }, Object.entries(DECIDED).map(([mark, [word, title]]) => h("li", { title }, h("span", { class: `dot by-${mark}`, "aria-hidden": "true" }), word))),
      h("div", { class: right ? "panes" : "panes one" }, left.element, right ? right.element : null));
    document.addEventListener("keydown", onKey);
    go(scene.start || 0);
    element.go = go;
    return element;
  }

  return theatreView;
})();
