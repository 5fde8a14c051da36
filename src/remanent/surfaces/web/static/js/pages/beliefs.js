// Beliefs: what is held true, how sure, how that fades; and what cannot both be so.

import { can, get, post } from "../api.js";
import { ask, button, choices, count, h, home, link, section, toast } from "../dom.js";
import { beginnings, beliefRow } from "../pieces.js";

export const title = "Beliefs";
const SORTS = {
  important: ["Most important first", () => 0],
  sure: ["Surest first", (a, b) => b.effective_confidence - a.effective_confidence],
  fading: ["Nearest to fading", (a, b) => a.effective_confidence - b.effective_confidence],
  newest: ["Newest first", (a, b) => b.belief.since.localeCompare(a.belief.since)],
};

export async function render({ signal, again }) {
  const { items } = await get("/v1/beliefs/outlook", { limit: 1000 }, signal);
  if (!items.length) return [h("h1", title), beginnings(again)];
  const wanted = { words: "", type: "", subject: "", sort: "important" };
  const list = h("ul.beliefs");
  const told = h("p.quiet", { role: "status" });
  const fill = () => {
    const words = wanted.words.toLowerCase();
    const found = items.filter(({ belief: one }) => one.statement.toLowerCase().includes(words)
      && (!wanted.type || one.type === wanted.type) && (!wanted.subject || one.subject === wanted.subject));
    const sorted = wanted.sort === "important" ? found : [...found].sort(SORTS[wanted.sort][1]);
    list.replaceChildren(...sorted.slice(0, 200).map(beliefRow));
    told.textContent = count(found.length, "belief") + (found.length > 200 ? ", of which the first 200 are shown" : "");
  };
  const set = (name) => (value) => { wanted[name] = value; fill(); };
  const of = (name) => [...new Set(items.map((one) => one.belief[name]))].sort();
  const narrow = h("input", { type: "search", placeholder: "Narrow", "aria-label": "Narrow by words", oninput: () => set("words")(narrow.value) });
  fill();
  return [
    h("h1", title), disputed(items, again),
    h("div.row", narrow, choices([["", "Every type"], ...of("type").map((one) => [one, one])], "", set("type"), "Type"),
      choices([["", "About all"], ...of("subject").map((one) => [one, one === "owner" ? "you" : one])], "", set("subject"), "Subject"),
      choices(Object.entries(SORTS).map(([name, [text]]) => [name, text]), "important", set("sort"), "Order")),
    h("section", told, list),
  ];
}

/** Pairs side by side; a click keeps one, and the other is put out of mind with the reason. */
function disputed(items, again) {
  const known = new Map(items.map((one) => [one.belief.key, one.belief]));
  const pairs = items.map(({ belief }) => [belief, known.get(belief.disputes)]).filter(([, other]) => other);
  const place = h("div", pairs.map(([one, other]) => pair(one, other, again)));
  const told = h("p.quiet", pairs.length ? "" : "No two beliefs are known to dispute each other.");
  const look = button("Look for contradictions", async () => {
    told.textContent = "Comparing what is held true…";
    const found = await get("/v1/beliefs/contradictions");
    const both = [...found.found, ...found.standing];
    told.textContent = both.length ? "" : `${found.compared} pairs compared: none contradicts another.`;
    place.append(...both.map((one) => pair(one.newer, one.older, again)));
  }, { quiet: true });
  return section("Disputed", told, place, look);
}

function pair(one, other, again) {
  const side = (keep, drop) => h("div.card", link(home("belief", keep.key), keep.statement),
    h("p.quiet", keep.type, " · ", count(keep.supports.length, "episode")),
    can("write") && button("This is so", () => settle(keep, drop, again), { quiet: true }));
  return h("div.pair", side(one, other), side(other, one));
}

async function settle(keep, drop, again) {
  await post(`/v1/beliefs/${drop.key}/forget`, { reason: `settled by hand: ${keep.statement}`.slice(0, 2000) });
  await post("/v1/remember", { text: keep.statement });
  toast("Settled.");
  again();
}
