// A storyline or macro: what it tells, of whom, and the sources it was told from.

import { get } from "../api.js";
import { at, badge, count, h, home, link, section, when } from "../dom.js";
import { presence } from "../pieces.js";

export async function render({ key, signal, again, title }) {
  const { kind, page } = await get(`/v1/memories/${encodeURIComponent(key)}`, {}, signal);
  const { node } = page;
  title(node.name);
  const out = (one) => page.links.filter((each) => each.kind === one && each.src === node.key).map((each) => each.dst);
  const named = (one) => page.titles[one] ?? one.slice(0, 8);
  return [
    h("div", h("h1", node.name), h("p.lead", badge(kind), " ", count(node.source_count ?? node.total_source_count, "source"), " · ",
      when(node.started_at), " – ", node.closed_at ? when(node.closed_at) : "open, last ", !node.closed_at && when(node.last_source_at ?? node.last_event_at)),
    h("p", node.description || "It will be told in the night to come.")),
    presence(node.key, node.life, again),
    section("About", h("p", link(at("anchor", node.anchor_key), named(node.anchor_key)))),
    out("groups").length > 0 && section("Its storylines", h("ul.plain", out("groups").map((one) => h("li", link(at("story", one), named(one)))))),
    out("includes").length > 0 && section("Told from", h("ul.plain", out("includes").map((one) => h("li", link(home("source", one), named(one)))))),
  ].filter(Boolean);
}
