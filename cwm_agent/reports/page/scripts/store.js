"use strict";
// The data of the report: the index at once, the page of a task when it is opened.
cwm.store = (() => {
  const found = document.getElementById("index");
  const store = { index: JSON.parse(found.textContent), pages: new Map() };

  function bytes(text) {
    const raw = atob(text);
    const made = new Uint8Array(raw.length);
    for (let at = 0; at < raw.length; at += 1) made[at] = raw.charCodeAt(at);
    return made;
  }

  async function inflated(text) {
    if (typeof DecompressionStream === "undefined") throw new Error("This browser cannot unpack the pages. Use one of 2023 or later.");
    const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  async function fetched(number) {
    if (!store.index.live) throw new Error("This report holds no task of that number.");
    const answer = await fetch(`page/${number}${location.search}`);
    if (!answer.ok) throw new Error("The server does not have this page any more.");
    return inflated(await answer.text());
  }

  store.page = (number) => {
    if (!store.pages.has(number)) {
      const element = document.getElementById(`page-${store.index.only === undefined ? number : 0}`);
      store.pages.set(number, element ? inflated(element.textContent) : fetched(number));
    }
    return store.pages.get(number);
  };

  store.tasks = () => (store.index.run ? store.index.run.tasks : store.index.scenes || []);
  store.href = (number, rest = "") => {
    const { apart } = store.index;
    if (!apart) return `#/task/${number}${rest}`;
    return `${encodeURIComponent(apart)}/${String(number).padStart(5, "0")}.html#/task/${number}${rest}`;
  };
  return store;
})();
