// People, concepts and entities, most mentioned first.

import { get } from "../api.js";
import { at, badge, choices, count, h, link, percent, when } from "../dom.js";
import { beginnings, every } from "../pieces.js";

export const title = "People and things";

export async function render({ query, signal, again }) {
  const kind = query.get("kind") ?? "";
  const anchors = await every("/v1/anchors", { kind }, signal);
  if (!kind && anchors.every((one) => one.is_owner)) return [h("h1", title), beginnings(again)];
  const rows = anchors.map((one) => [one, h("li", badge(kindOf(one)), link(at("anchor", one.key), one.name),
    h("p.quiet", one.type && `${one.type} · `, count(one.source_count, "source"), " · ", percent(one.life.salience), " salience",
      one.last_mentioned_at && [" · last ", when(one.last_mentioned_at)]), one.description && h("p.quiet", one.description))]);
  const list = h("ul.plain", rows.map(([, row]) => row));
  const narrow = h("input", { type: "search", placeholder: "Narrow by name", "aria-label": "Narrow by name", oninput: () => {
    const wanted = narrow.value.toLowerCase();
    for (const [one, row] of rows) row.hidden = ![one.name, ...one.aliases].some((name) => name.toLowerCase().includes(wanted));
  } });
  return [h("h1", title),
    h("div.row", narrow, choices([["", "All"], ["person", "People"], ["entity", "Places, projects and such"], ["concept", "Topics"]], kind,
      (value) => { location.hash = at("people", "", { kind: value }); }, "Which kind")),
    h("section", list)];
}

export const kindOf = (one) => ("is_owner" in one ? "person" : "type" in one ? "entity" : "concept");
