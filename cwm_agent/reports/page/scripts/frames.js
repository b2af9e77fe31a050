"use strict";
// Frames from merge patches, and what differs between two of them.
cwm.frames = (() => {
  const isObject = (value) => typeof value === "object" && value !== null;

  function merged(before, patch) {
    const made = Object.assign(Object.create(null), before);
    for (const [name, value] of Object.entries(patch)) {
      if (value === null) delete made[name];
      else made[name] = isObject(value) ? merged(isObject(made[name]) ? made[name] : null, value) : value;
    }
    return made;
  }

  function decoded(deltas, first = null) {
    const found = [];
    let frame = first;
    for (const delta of deltas) {
      frame = merged(frame, delta);
      found.push(frame);
    }
    return found;
  }

  /** Both runs of a scene as lists of frames; the real one begins with the frames that both share. */
  function runs(scene) {
    const imagined = decoded(scene.imagined.frames);
    if (!scene.real) return { imagined, real: null };
    const shared = imagined.slice(0, scene.real.shared);
    return { imagined, real: shared.concat(decoded(scene.real.frames, shared[shared.length - 1] || null)) };
  }

  const stack = (frame) => (frame.stack ? Object.values(frame.stack) : [{ function: "", line: lineOf(frame), locals: frame.locals || {} }]);
  function lineOf(frame) {
    if (frame.stack) return Object.values(frame.stack).at(-1).line;
    return Number.parseInt(String(frame.lines).split(" ")[0], 10) || 0;
  }

  /** Keys of all that a frame says: variables by depth and name, objects by label. */
  function facts(frame) {
    const found = new Map([["event", frame.event], ["line", `${lineOf(frame)}`], ["arg", frame.arg || ""]]);
    stack(frame).forEach((each, depth) => {
      for (const [name, text] of Object.entries(each.locals)) found.set(`${depth}:${name}`, text);
    });
    for (const [label, text] of Object.entries(frame.heap || {})) found.set(`#${label}`, text);
    for (const [name, text] of Object.entries(frame.globals || {})) found.set(`g:${name}`, text);
    return found;
  }

  function differences(one, other) {
    if (one === other) return [];
    if (!one || !other) return [];
    const left = facts(one), right = facts(other), names = new Set([...left.keys(), ...right.keys()]);
    return [...names].filter((name) => left.get(name) !== right.get(name));
  }

  /** Steps of both runs at which they part, or part in another way than at the step before. */
  function divergences(imagined, real) {
    const found = [];
    let before = "";
    for (let at = 0; real && at < Math.min(imagined.length, real.length); at += 1) {
      const wrong = differences(imagined[at], real[at]).join(" ");
      if (wrong && wrong !== before) found.push(at);
      before = wrong;
    }
    return found;
  }

  return { runs, stack, lineOf, differences, divergences };
})();
