"use strict";
// Chooses the page from the address, and draws it.
cwm.app = (() => {
  const { h, replace } = cwm.dom;
  const main = document.getElementById("main"), nav = document.getElementById("nav"), button = document.getElementById("theme");
  let drawn = 0;

  function pages(index) {
    const found = [];
    if (index.back) found.push([index.back, "Run"]);
    if (index.run) found.push(["#/", "Run"]);
    if (index.verification) found.push(["#/verification", "Verification"]);
    if (index.studies) found.push(["#/", "Studies"]);
    if (index.rollouts) found.push(["#/", "Rollouts"]);
    return found;
  }

  function first(index) {
    if (index.run) return cwm.runPage(index);
    if (index.studies) return cwm.studyPage(index);
    if (index.rollouts) return cwm.rolloutPage(index);
    if (index.verification) return cwm.verificationPage(index);
    return null;
  }

  async function content(index, [page, number, part, chosen]) {
    if (index.only !== undefined && page !== "task") return content(index, ["task", `${index.only}`]);
    if (page === "verification" && index.verification) return cwm.verificationPage(index);
    if (page === "task") return cwm.taskPage(await cwm.store.page(Number(number)), Number(number), part, Number(chosen) || 0);
    return first(index) || [h("h1", null, "Nothing to show"), h("p", null, "This report holds no page of that name.")];
  }

  async function draw(focus = false) {
    const address = location.hash.replace(/^#\/?/, "").split("/"), index = cwm.store.index;
    drawn += 1;
    const mine = drawn;
    const here = address[0] === "verification" || (!index.run && index.verification && address[0] === "") ? "#/verification" : "#/";
    replace(nav, pages(index).map(([href, label]) => h("a", { href, "aria-current": href === here ? "page" : null }, label)));
    let shown;
    try {
      shown = await content(index, address);
    } catch (error) {
      shown = [h("h1", null, "This page cannot be shown"), h("p", null, String(error?.message))];
    }
    if (mine !== drawn) return;
    replace(main, shown);
    main.dataset.ready = location.hash;
    cwm.live.draw();
    if (focus) { main.focus({ preventScroll: true }); scrollTo(0, 0); }
  }

  function themed(name) {
    if (name) document.documentElement.dataset.theme = name;
    const dark = name ? name === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
    button.onclick = () => themed(dark ? "light" : "dark");
  }

  window.addEventListener("hashchange", () => {
    if (location.hash === "#main") { main.focus(); return; }
    draw(true);
  });
  themed("");
  document.getElementById("footer").textContent = `Made by cwm-agent ${cwm.store.index.version || ""}. This file asks no network for anything.`;
  draw();
  cwm.live.start(() => { if (!location.hash.startsWith("#/task")) draw(); });
  return { draw };
})();
