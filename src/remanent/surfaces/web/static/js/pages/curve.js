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
  const marks = [...one.accesses.map((each) => ({ at: new Date(each.at), name: `access: from ${percent(each.before)} to ${percent(each.after)}`, kind: "access" })),
    { at: new Date(one.now), name: "now" }];
  const earlier = life.access_count - one.accesses.length;
  const archived = one.archived_at && new Date(one.archived_at) <= new Date(one.points.at(-1).at);
  if (archived) marks.push({ at: new Date(one.archived_at), name: "archived", kind: "end" });
  return [
    h("div", h("h1", one.name), h("p.lead", badge(one.kind), " ", link(home(one.kind, one.key), "back to it"))),
    h("section", h("div.row.between", h("h2", "Salience"), choices(SPANS, days, (value) => { location.hash = at("curve", key, { days: value }); }, "How far ahead")),
      draw({ label: `Salience of ${one.name}, as it was and over the time to come; ${count(one.accesses.length, "access", "accesses")} marked`, lines: [
        { name: "quiet", points: points([...one.behind, ...one.points]) }, { name: "touched", points: points(one.if_accessed) }], marks }),
      h("p.legend", h("span", h("i"), "if nobody asks for it"), h("span", h("i.other"), "after one access today (dashed)"), one.accesses.length > 0 && h("span", h("i.dot.access"), "an access"), h("span", h("i.now-line"), "now"), archived && h("span", h("i.end-line"), "archived")),
      earlier > 0 && one.accesses.length > 0 && h("p.quiet", `${count(earlier, "access", "accesses")} before these ${earlier === 1 ? "is" : "are"} counted, but no longer kept one by one.`)),
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
