"use strict";
// What the page does beyond links, forms and htmx: the stream of changes, keys, focus, charts kept.
(() => {
  const body = document.body;
  const page = body.dataset.page;
  const find = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // --- what a refresh must not touch -------------------------------------------------------

  // A chart draws itself, and an open editor holds what the user typed.
  const editing = (node) => node.matches?.("details.edit[open]");
  Idiomorph.defaults.callbacks.beforeNodeRemoved = (node) => !node.matches?.("wm-plot");
  Idiomorph.defaults.callbacks.beforeNodeMorphed = (node) => !editing(node);
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
    !(name === "open" && node.matches("details")) && !(name === "checked" && node.name === "id");

  // --- changes ------------------------------------------------------------------------------

  const TOPICS = {
    workspace_memory: "memory",
    tombstones: "memory",
    recaps: "recaps",
    session_state: "sessions",
    pressure: "sessions",
    flow: "sessions",
    core_memory: "sessions",
    working_memory: "sessions",
  };

  function live(on, text) {
    const place = find("#live");
    place.dataset.live = on ? "yes" : "no";
    find(".live-text", place).textContent = text;
  }

  function closed(is) {
    find("#closed").hidden = !is;
    for (const part of all("main, .side, .panel")) part.inert = is;
  }

  // Number of events that the shown page already reflects.
  let received = Number(body.dataset.received);

  // Whoever takes over the port later does not know the proof, and gets nothing.
  function follow() {
    const stream = new EventSource(body.dataset.stream);
    let known = false;
    stream.addEventListener("hello", (event) => {
      const sent = JSON.parse(event.data);
      known = sent.proof === body.dataset.proof;
      if (!known) return stream.close();
      closed(false);
      state(sent.live);
      if (received !== sent.received) tell(["everything"]);
      received = sent.received;
    });
    stream.addEventListener("change", (event) => {
      if (!known) return;
      const sent = JSON.parse(event.data);
      state(sent.live);
      received = sent.received;
      tell(sent.slugs);
    });
    stream.addEventListener("error", () => {
      known = false;
      live(false, "Not connected");
      closed(true);
    });
    addEventListener("pagehide", () => stream.close(), { once: true });
  }

  const state = (on) => live(on, on ? "Live" : "No daemon: read from the files");

  function tell(slugs) {
    const known = slugs.includes("everything") ? Object.keys(TOPICS) : slugs;
    const topics = new Set(known.map((slug) => TOPICS[slug]).filter(Boolean));
    for (const topic of topics) htmx.trigger(body, "wm:" + topic);
  }

  // --- the panel ----------------------------------------------------------------------------

  const narrow = matchMedia("(max-width: 60rem)");
  let opener = null;

  const panel = () => find("#entry:not([hidden])");

  function covered() {
    const is = Boolean(panel()) && narrow.matches;
    for (const part of all("main, .side")) part.inert = is;
  }

  function close() {
    const place = panel();
    if (!place) return false;
    const address = new URL(location.href);
    address.searchParams.delete("entry");
    history.pushState({}, "", address);
    place.hidden = true;
    place.replaceChildren();
    covered();
    (opener?.isConnected ? opener : find("#main")).focus();
    mark();
    return true;
  }

  // The row of the entry in the panel.
  function mark() {
    const id = find("#entry .id code")?.textContent;
    for (const row of all(".row")) row.classList.toggle("current", Boolean(id) && row.id === "row-" + id);
  }

  // --- keys ---------------------------------------------------------------------------------

  const items = () => all("[data-item]").filter((item) => item.checkVisibility());
  const current = () => document.activeElement.closest("[data-item], .row, .suggestion");
  const PLACES = { m: "memory", i: "inbox", t: "timeline", s: "sessions", c: "changes", r: "refused", h: "health" };
  let going = false;

  function step(by) {
    const list = items();
    const here = current();
    const at = list.findIndex((item) => item === here || here?.contains(item) || item.contains(document.activeElement));
    const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  // Presses the button of this name: of the chosen item, of the panel, or of the page.
  function press(name) {
    const places = [current(), panel(), find("#toast"), find("#main")].filter(Boolean);
    const button = places.map((place) => find(`[data-key="${name}"]`, place)).find(Boolean);
    if (!button) return;
    button.click();
    if (name === "edit") find("textarea", button.closest("details"))?.focus();
  }

  const KEYS = {
    "/": () => (find("#q") ?? find("#text"))?.focus(),
    "?": () => find("#keys").showModal(),
    j: () => step(1),
    k: () => step(-1),
    e: () => press("edit"),
    p: () => press("pin"),
    a: () => press("accept"),
    r: () => press("reject"),
    u: () => press("undo"),
    x: () => find('input[type="checkbox"]', current() ?? document.createElement("p"))?.click(),
    g: () => (going = true),
  };

  function go(key) {
    going = false;
    const link = PLACES[key] && find(`nav a[href$="/${PLACES[key]}"]`);
    link?.click();
  }

  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select");
    if (event.key === "Escape") {
      if (typing && typing.type !== "search") typing.blur();
      else if (!find("dialog[open]") && close()) event.preventDefault();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) return;
    if (!find("#keys-on").checked) return;
    if (going) return go(event.key);
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // --- htmx ---------------------------------------------------------------------------------

  // A swap may move or remove the item that has the focus: the item, else its place, gets it again.
  let focused = null;

  const item = (row) => (row?.matches("[data-item]") ? row : row && find("[data-item]", row));

  function focusedRow() {
    const row = document.activeElement.closest(".row, .suggestion");
    return row && { id: row.id, at: items().indexOf(item(row)) };
  }

  function refocus() {
    if (!focused || document.activeElement !== body) return;
    (item(document.getElementById(focused.id)) ?? items()[focused.at] ?? items().at(-1) ?? find("#main")).focus();
  }

  body.addEventListener("htmx:beforeRequest", (event) => {
    const from = event.detail.elt;
    if (event.detail.target?.id === "entry" && !from.closest("#entry")) opener = from;
    if (from.matches(".decide")) focused = focusedRow();
    if (from.matches("form")) for (const open of all("details.edit[open]", from)) open.open = false;
  });

  // A search that ends after an entry was opened keeps the entry in the address.
  body.addEventListener("htmx:beforeHistoryUpdate", (event) => {
    const id = find("#entry .id code")?.textContent;
    const history = event.detail.history;
    if (id && event.detail.target.id === "entries" && !history.path.includes("entry=")) {
      history.path += (history.path.includes("?") ? "&" : "?") + "entry=" + id;
    }
  });

  body.addEventListener("htmx:beforeSwap", (event) => {
    focused = focusedRow() ?? (event.detail.elt.matches(".decide, #suggestions") ? focused : null);
  });

  body.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target?.id === "entry") {
      covered();
      mark();
      if (!event.detail.requestConfig.triggeringEvent?.type.startsWith("wm:")) (panel() ?? find("#main")).focus();
    }
    refocus();
    if (event.detail.target?.id === "entries") mark();
  });

  body.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]") && close()) event.preventDefault();
    const name = event.target.closest("[data-dialog]")?.dataset.dialog;
    if (name) find("#" + name).showModal();
  });

  body.addEventListener("change", (event) => {
    const name = event.target.dataset?.all;
    if (name) for (const box of all(`input[name="${name}"]`)) box.checked = event.target.checked;
    if (event.target.id === "keys-on") localStorage.setItem("keys", event.target.checked ? "on" : "off");
  });

  find("#keys-on").checked = localStorage.getItem("keys") !== "off";
  narrow.addEventListener("change", covered);
  find("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  covered();
  mark();
  if (page) follow();
  // The browser may keep a page that was left, and show it again.
  addEventListener("pageshow", (event) => event.persisted && page && follow());
})();
