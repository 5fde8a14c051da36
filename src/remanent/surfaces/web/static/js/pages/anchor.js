// A person, concept or entity: who they are, how they stood to others over time, what was said of them.

import { can, get, post } from "../api.js";
import { ask, at, badge, button, choices, count, h, home, link, now, percent, section, toast, when } from "../dom.js";
import { addNote, addRelation, anchorTools, byHand, noteTools, relationTools } from "../corrections.js";
import { presence } from "../pieces.js";

export async function render({ key, signal, again, title }) {
  const path = encodeURIComponent(key);
  const [{ kind, page }, relations, corrected] = await Promise.all([
    get(`/v1/memories/${path}`, {}, signal),
    get("/v1/relationships", { key, history: true }, signal),
    get("/v1/corrections", { key }, signal),
  ]);
  const { node } = page;
  title(node.name);
  const named = (one) => page.titles[one] ?? one.slice(0, 8);
  const ofRelations = relations.items.flatMap((one) => (one.by_hand ?? []).map((each) => ({ ...each, correction_id: each.event_id, name: one.relationship_type })));
  return [
    h("div", h("h1", node.name), h("p.lead", badge(kind), " ", node.type && `${node.type} · `, node.is_owner && "you · ",
      count(node.source_count, "source"), " on ", count(node.distinct_days?.length ?? 0, "day"), " · known with ", percent(node.confidence),
      node.aliases.length > 0 && ` · also ${node.aliases.join(", ")}`),
    node.description && h("p", node.description)),
    presence(node.key, node.life, again, { pins: !node.is_owner }),
    h("div.row", h("a.button.quiet", { href: at("graph", "", { around: node.key }) }, "See it in the graph"),
      can("write") && button("It is the same as…", () => mergeInto(node, kind, again), { quiet: true }),
      can("write") && anchorTools(node, again)),
    h("div.two",
      h("div", relationships(relations.items, node, named, again), byHand([...corrected.items, ...ofRelations], again), stories(page, named)),
      h("div", notes(page, named, again), mentions(page, named), beliefs(page, named))),
  ];
}

function relationships(items, node, named, again) {
  const times = items.flatMap((one) => [one.valid_from, one.valid_to]).filter(Boolean).map(Date.parse);
  const [first, last] = [Math.min(...times, now()), now()];
  const share = (moment) => ((Date.parse(moment) - first) / (last - first || 1)) * 100;
  const row = (one) => {
    const other = one.src === node.key ? one.dst : one.src;
    const end = one.valid_to ? share(one.valid_to) : 100;
    const words = [h("b", one.relationship_type), " ", link(at("anchor", other), named(other))];
    return h("li", one.valid_to ? h("s", words) : words,
      one.description && h("p.quiet", one.description),
      h("div.bar", { role: "img", "aria-label": `from ${one.valid_from} ${one.valid_to ? `to ${one.valid_to}` : "until now"}` },
        h(`span${one.valid_to ? ".over" : ""}`, { style: { left: `${share(one.valid_from)}%`, width: `${Math.max(1.5, end - share(one.valid_from))}%` } })),
      h("p.quiet", when(one.valid_from), " – ", one.valid_to ? when(one.valid_to) : "now", " ", can("write") && relationTools(one, again)));
  };
  return section("Relations over time", items.length ? h("ul.plain", items.map(row)) : h("p.quiet", "None is known."), can("write") && addRelation(node, again));
}

function notes(page, named, again) {
  const row = (one) => h("li", one.content, h("p.quiet", when(one.date_added), " · ",
    one.source_key && [link(home("source", one.source_key), page.titles[one.source_key] ? named(one.source_key) : "its source"), " · "],
    one.expires_at ? ["kept until ", when(one.expires_at)] : "kept for good", " ", can("write") && noteTools(page.node, one, again)));
  return section("is_owner" in page.node ? "What was said of them" : "What was said of it", page.notes.length ? h("ul.plain", page.notes.map(row)) : h("p.quiet", "No note."), can("write") && addNote(page.node, again));
}

const incoming = (page, kind) => [...new Set(page.links.filter((one) => one.kind === kind && one.dst === page.node.key).map((one) => one.src))];

function mentions(page, named) {
  const keys = incoming(page, "mentions");
  return keys.length > 0 && section("Where it came up", h("ul.plain", keys.map((one) => h("li", link(home("source", one), named(one))))));
}

function beliefs(page, named) {
  const stories = new Set(incoming(page, "rooted_in"));
  const keys = incoming(page, "about").filter((one) => !stories.has(one) && !/storyline$/.test(named(one)));
  return keys.length > 0 && section("What is held true of it", h("ul.plain", keys.map((one) => h("li", link(home("belief", one), named(one))))));
}

function stories(page, named) {
  const keys = [...incoming(page, "rooted_in"), ...incoming(page, "about").filter((one) => /storyline$/.test(named(one)))];
  return keys.length > 0 && section("Stories", h("ul.plain", keys.map((one) => h("li", link(at("story", one), named(one))))));
}

async function mergeInto(node, kind, again) {
  const others = (await get("/v1/anchors", { kind, limit: 500 })).items.filter((one) => one.key !== node.key);
  if (!others.length) { toast("There is no other to be the same as."); return; }
  let into = others[0].key;
  const yes = await ask(`Who or what is ${node.name} really?`, [
    h("p", "All that is known of it is filed under the other. It can be split off again."),
    choices(others.map((one) => [one.key, one.name]), into, (value) => { into = value; }, "The same as"),
  ], { yes: "They are the same", danger: false });
  if (!yes) return;
  await post(`/v1/anchors/${node.key}/merge`, { into });
  toast("Filed under the other.");
  location.hash = at("anchor", into);
  again();
}
