// Search as one types, with kinds, filters and a slider through time.

import { get, post } from "../api.js";
import { at, choices, day, empty, field, h, now } from "../dom.js";
import { hit } from "../pieces.js";

export const title = "Search";
const KINDS = ["passage", "source", "belief", "person", "concept", "entity", "relationship", "storyline", "macro", "artifact"];
const MODES = [["both", "as it was and was known"], ["as_of", "what was true then"], ["known_at", "what was known then"]];
const PAUSE = 160;

export async function render({ query, signal }) {
  const asked = { q: "", kinds: "", since: "", until: "", speaker: "", archived: "", then: "", mode: "both", ...Object.fromEntries(query) };
  const list = h("ol.hits", { "aria-live": "polite", "aria-busy": "false" });
  const told = h("p.quiet", { role: "status" });
  let timer;
  let running = new AbortController();

  function later() {
    history.replaceState(null, "", at("search", "", { ...asked, mode: asked.then ? asked.mode : "" }));
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  }

  async function look() {
    running.abort();
    running = new AbortController();
    if (!asked.q.trim()) { list.replaceChildren(); told.textContent = "Type a question or a few words; / leads back to the box."; return; }
    list.setAttribute("aria-busy", "true");
    const end = asked.then ? new Date(`${asked.then}T23:59:59Z`).toISOString() : null;
    const body = {
      query: asked.q, limit: 25, explain: true, touch: false,
      kinds: asked.kinds ? asked.kinds.split(",") : [],
      since: asked.since ? `${asked.since}T00:00:00Z` : null, until: asked.until ? `${asked.until}T23:59:59Z` : null,
      speaker: asked.speaker || null, include_archived: asked.archived === "1",
      as_of: end && asked.mode !== "known_at" ? end : null, known_at: end && asked.mode !== "as_of" ? end : null,
    };
    try {
      const { items, reason } = await post("/v1/search", body, running.signal);
      told.textContent = items.length ? `${items.length} found${end ? `, as of ${day(end)}` : ""}` : reason || "Nothing was found.";
      list.replaceChildren(...items.map((one) => hit(one, items[0].score)));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      told.textContent = problem.message;
      list.replaceChildren();
    }
    list.setAttribute("aria-busy", "false");
  }

  const set = (name) => (event) => { asked[name] = event.target.value; later(); };
  const date = (name, label) => field(label, h("input", { type: "date", value: asked[name], onchange: set(name) }));
  const chosen = new Set(asked.kinds.split(",").filter(Boolean));
  const chip = (kind) => h("label.chip", h("input", { type: "checkbox", checked: chosen.has(kind), onchange: (event) => {
    chosen[event.target.checked ? "add" : "delete"](kind);
    asked.kinds = [...chosen].join(",");
    later();
  } }), kind);

  const onTyped = (event) => { asked.q = event.detail; later(); };
  window.addEventListener("typed", onTyped);
  signal.addEventListener("abort", () => { window.removeEventListener("typed", onTyped); running.abort(); clearTimeout(timer); });
  look();
  return [
    h("h1", "Search"),
    h("fieldset.chips", h("legend.sr", "Only these kinds"), KINDS.map(chip)),
    h("details.filters", { open: Boolean(asked.since || asked.until || asked.speaker || asked.archived) }, h("summary", "Filters"),
      h("div.row.low", date("since", "From"), date("until", "Up to"),
        field("Said by", h("input", { value: asked.speaker, oninput: set("speaker") })),
        h("label.check", h("input", { type: "checkbox", checked: asked.archived === "1",
          onchange: (event) => { asked.archived = event.target.checked ? "1" : ""; later(); } }), "faded ones as well"))),
    travel(asked, later),
    told, list,
  ];
}

/** The slider through time: days from the first source to today. */
function travel(asked, later) {
  const box = h("details.filters", { open: Boolean(asked.then) }, h("summary", "Travel in time"));
  const fill = async () => {
    if (box.dataset.filled) return;
    box.dataset.filled = "1";
    const { rows } = await post("/v1/cypher", { query: "MATCH (s:Source) RETURN min(s.started_at)", include_archived: true });
    if (!rows[0]?.[0]) { box.append(empty("There is no past yet")); return; }
    const first = Date.parse(rows[0][0].slice(0, 10));
    const days = Math.max(1, Math.round((now() - first) / 86_400_000));
    const place = asked.then ? Math.round((Date.parse(asked.then) - first) / 86_400_000) : days;
    const told = h("output", asked.then ? day(asked.then) : "now");
    const slider = h("input", { type: "range", min: 0, max: days, value: place, "aria-label": "The day to ask about", oninput: () => {
      const isNow = Number(slider.value) >= days;
      asked.then = isNow ? "" : new Date(first + slider.value * 86_400_000).toISOString().slice(0, 10);
      told.textContent = isNow ? "now" : day(asked.then);
      later();
    } });
    slider.value = place;
    box.append(h("div.row", slider, told, choices(MODES, asked.mode, (mode) => { asked.mode = mode; later(); }, "Which past")));
  };
  box.addEventListener("toggle", () => box.open && fill());
  if (asked.then) fill();
  return box;
}
