// The curve of a memory: how present it was and will be, when it was called on, when it will be archived.

import { get } from "../api.js";
import { curve as draw } from "../charts.js";
import { ago, badge, choices, count, at, day, h, home, link, percent, section, when } from "../dom.js";

export const title = "How it fades";
const SPANS = [["90", "three months"], ["365", "a year"], ["1095", "three years"]];

export async function render({ key, query, signal }) {
  const days = query.get("days") ?? "365";
  const one = await get(`/v1/memories/${encodeURIComponent(key)}/curve`, { days }, signal);
  const { life } = one;
  const points = (list) => list.map((each) => ({ at: new Date(each.at), value: each.salience }));
  const marks = [{ at: new Date(one.now), name: "now" }];
  if (life.last_accessed_at) {
    const last = new Date(life.last_accessed_at);
    marks.push({ at: last, name: "last access" });
    if (life.last_recall_interval > 0) marks.push({ at: new Date(last - life.last_recall_interval * 86_400_000), name: "the access before" });
  }
  const archived = one.archived_at && new Date(one.archived_at) <= new Date(one.points.at(-1).at);
  if (archived) marks.push({ at: new Date(one.archived_at), name: "archived" });
  return [
    h("div", h("h1", one.name), h("p.lead", badge(one.kind), " ", link(home(one.kind, one.key), "back to it"))),
    section("Salience",
      h("div.row.end", choices(SPANS, days, (value) => { location.hash = at("curve", key, { days: value }); }, "How far ahead")),
      draw({ label: `Salience of ${one.name} over the time to come`, lines: [
        { name: "quiet", points: points([...one.behind, ...one.points]) }, { name: "touched", points: points(one.if_accessed) }], marks }),
      h("p.legend", h("span", h("i"), "if nobody asks for it"), h("span", h("i.other"), "after one access today (dashed)"), h("span", "vertical marks: accesses, now, archiving"))),
    section("What lies ahead", h("ul.plain",
      h("li", "Now: ", h("b", percent(life.salience)), ", ", life.state, ", ", count(life.access_count, "access", "accesses"),
        life.last_accessed_at ? [", last ", ago(life.last_accessed_at)] : ", never called on"),
      h("li", one.archived_at ? ["Archived on ", h("b", when(one.archived_at)), ` (${ago(one.archived_at)}) if nobody asks for it.`]
        : life.state === "archived" ? "It is archived now; asking for it calls it back." : "It is never archived."),
      h("li", one.half_life === null ? "It does not fade." : `It halves every ${Math.round(one.half_life)} days.`),
      h("li", "An access today: ", one.archived_if_accessed ? ["archived on ", day(one.archived_if_accessed)] : "never archived",
        one.half_life_if_accessed !== null && `, halving every ${Math.round(one.half_life_if_accessed)} days`, "."))),
  ];
}
