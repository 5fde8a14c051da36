// One source: as it came in and as it was read, what was drawn from it, and how to take it back.

import { can, get, post, remove } from "../api.js";
import { ask, at, badge, button, clock, count, h, home, link, minute, section, toast, when } from "../dom.js";
import { presence } from "../pieces.js";

const group = (items, name) => items.reduce((all, one) => all.set(name(one), [...(all.get(name(one)) ?? []), one]), new Map());

export async function render({ key, query, signal, again, title }) {
  const { page } = await get(`/v1/sources/${encodeURIComponent(key)}`, {}, signal);
  const { node } = page;
  title(node.title || "Source");
  const here = query.get("p");
  const shown = [
    h("div", h("h1", node.title || "Untitled"),
      h("p.lead", node.content_type, " · ", node.context_type, " · ", when(node.started_at, minute), " · ", node.processing_status,
        node.sensitivity !== "normal" && ` · ${node.sensitivity} sensitivity`, node.team_id && ` · team ${node.team_id}`),
      node.summary && h("p", node.summary)),
    presence(node.key, node.life, again),
    can("write") && h("div.row", button("Read it again", () => redo(node), { quiet: true }),
      button("Undo…", () => undo(node, again), { danger: true }), button("Erase…", () => erase(node), { danger: true })),
    h("div.two", section("As it was read", page.passages.map((one) => passage(one, here)),
      !page.passages.length && h("p.quiet", "It has not been read yet.")), raw(page)),
    extracted(page),
  ];
  setTimeout(() => document.querySelector(".passage.here")?.scrollIntoView({ block: "center" }), 50);
  return shown.filter(Boolean);
}

function passage(one, here) {
  return h(`div.passage${one.key === here ? ".here" : ""}`, { id: one.key, tabindex: one.key === here ? -1 : null },
    h("div.quiet", h("b", one.speaker ?? ""), when(one.at, clock)), one.text);
}

function raw(page) {
  return section("As it came in", page.raw === null
    ? h("p.quiet", "The raw text is for whoever contributed it.")
    : h("pre.raw", { tabindex: 0, "aria-label": "The raw text" }, page.raw));
}

function extracted(page) {
  const named = (key) => page.titles[key] ?? key.slice(0, 8);
  const of = (kind) => page.links.filter((one) => one.kind === kind && one.src === page.node.key);
  const unique = (links) => [...new Map(links.map((one) => [one.dst, one])).values()];
  const people = unique(of("mentions"));
  const beliefs = unique(of("supports"));
  const notes = group(page.notes, (one) => one.on);
  return section("What was drawn from it",
    page.extraction && h("p.quiet", "Read by ", h("code", page.extraction.mind ?? ""), "."),
    h("h3", count(people.length, "person or thing", "people and things")),
    h("ul.plain", people.map((one) => h("li", link(at("anchor", one.dst), named(one.dst)),
      (notes.get(one.dst) ?? []).map((note) => h("p.quiet", note.content, " · ", note.expires_at ? ["until ", when(note.expires_at)] : "for good"))))),
    h("h3", count(beliefs.length, "belief")),
    h("ul.plain", beliefs.map((one) => h("li", badge("belief"), link(home("belief", one.dst), named(one.dst))))));
}

async function redo(node) {
  await post(`/v1/sources/${node.key}/redo`);
  toast("It will be read again.");
}

async function undo(node, again) {
  const before = await post(`/v1/sources/${node.key}/undo`, { dry_run: true });
  const gone = before.beliefs.gone ?? [];
  const yes = await ask(`Undo “${node.title || "this source"}”?`, [
    h("p", "The source stays; what it caused is taken back:"),
    h("ul", h("li", count(before.mentions, "mention")), h("li", count(before.notes, "note")), h("li", count(before.assertions, "assertion of a relationship", "assertions of relationships")),
      before.anchors.length > 0 && h("li", count(before.anchors.length, "person or thing", "people and things"), " known from here alone"),
      h("li", count(gone.length, "belief"), gone.length > 0 && h("ul", gone.map((one) => h("li", one.statement))))),
  ], { yes: "Undo it" });
  if (!yes) return;
  await post(`/v1/sources/${node.key}/undo`);
  toast("Taken back.");
  again();
}

async function erase(node) {
  const before = await remove(`/v1/sources/${node.key}`, { dry_run: true });
  const yes = await ask(`Erase “${node.title || "this source"}” for good?`, [
    h("p", "This cannot be taken back. It takes along:"),
    h("ul", before.removed.map((one) => h("li", `${one.count} ${one.what} (${one.store})`))),
    before.titles.length > 0 && [h("h3", "Among them"), h("ul", before.titles.map((one) => h("li", one)))],
  ], { yes: "Erase it for good" });
  if (!yes) return;
  await remove(`/v1/sources/${node.key}`);
  toast("Erased.");
  location.hash = at("sources");
}
