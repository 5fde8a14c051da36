// Audit: who did what about teams, keys and whole memories, and what was refused.

import { can, get, tends } from "../api.js";
import { at, choices, empty, h, minute, table, when } from "../dom.js";

export const title = "Audit";

export async function render({ query, signal }) {
  const team = query.get("team") ?? "";
  if (!can("manage")) return [h("h1", title), empty("This key may not read the audit", h("p", "It needs the power to manage."))];
  const teams = (await get("/v1/teams", {}, signal)).items.filter((one) => one.membership.role !== "member");
  const { items } = await get(team === "*" ? "/v1/all/audit" : "/v1/audit", { team: team === "*" ? "" : team, limit: 500 }, signal);
  const whose = [["", "What you did"], ...teams.map((one) => [one.team.team_id, `In ${one.team.name}`]), ...(tends() ? [["*", "Everybody"]] : [])];
  return [h("h1", title), h("div.row", choices(whose, team, (value) => { location.hash = at("audit", "", { team: value }); }, "Whose deeds")),
    items.length ? h("section", table(["When", "Who", "Did", "To", "Team", "More"], items.reverse().map((one) =>
      [when(one.at, minute), one.actor || "whoever runs it", one.act, one.subject, one.team_id ?? "", Object.entries(one.detail).map(([name, value]) => `${name}: ${value}`).join(", ")])))
      : empty("Nothing is written down yet", h("p", "What is done about teams, keys and whole memories stands here, and what was refused."))];
}
