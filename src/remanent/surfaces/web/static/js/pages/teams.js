// Teams: who shares what, invitations, and what others put before the user.

import { can, get, post, put, remove } from "../api.js";
import { ask, askText, button, choices, day, empty, h, section, table, toast, when } from "../dom.js";

export const title = "Teams";
const ROLES = [["member", "member"], ["admin", "admin"], ["owner", "owner"]];

export async function render({ signal, again }) {
  const [teams, mine, waiting] = await Promise.all([
    get("/v1/teams", {}, signal), get("/v1/invitations", {}, signal), get("/v1/waiting", {}, signal)]);
  const members = await Promise.all(teams.items.map((one) => get(`/v1/teams/${encodeURIComponent(one.team.team_id)}/members`, {}, signal)));
  const make = button("Make a team", async () => {
    const name = await askText("A new team", { label: "What to call it", yes: "Make it" });
    if (name) { await post("/v1/teams", { name }); again(); }
  });
  return [
    h("div.row.between", h("h1", title), can("manage") && make),
    mine.items.length > 0 && section("Invitations to you", h("ul.plain", mine.items.map((one) => h("li", one.invited_by, " invites you to ", h("b", one.team_id), " as ", one.role, ", until ", day(one.expires_at), " ",
      can("manage") && [answer(one, "accept", "Join", again), " ", answer(one, "decline", "Decline", again)])))),
    waiting.items.length > 0 && section("Sources that name you", h("ul.plain", waiting.items.map((one) => h("li", one.title || one.key, " from ", one.contributed_by ?? one.user_id ?? "somebody", " ",
      can("write") && [consent(one, "accept", "Accept", again), " ", consent(one, "decline", "Decline", again)])))),
    teams.items.map((one, place) => team(one, members[place].items, again)),
    !teams.items.length && empty("You are in no team", h("p", "A team shares sources: what its members add to it, all of them can read. What is drawn from them stays everyone's own.")),
  ].filter(Boolean).flat();
}

const answer = (one, verb, text, again) => button(text, () => post(`/v1/invitations/${encodeURIComponent(one.invitation_id)}/${verb}`).then(again), { quiet: true });
const consent = (one, verb, text, again) => button(text, () => post(`/v1/waiting/${encodeURIComponent(one.key)}/${verb}`).then(again), { quiet: true });

function team({ team: one, membership }, members, again) {
  const path = `/v1/teams/${encodeURIComponent(one.team_id)}`;
  const tends = membership.role !== "member" && can("manage");
  const role = (member) => (tends ? choices(ROLES, member.role, (value) => put(`${path}/members/${encodeURIComponent(member.user_id)}`, { role: value })
    .then(again, (problem) => toast(problem.message, true)), `Role of ${member.user_id}`) : member.role);
  const out = (member) => tends && member.user_id !== membership.user_id && button("Put out", async () => {
    if (await ask(`Put ${member.user_id} out of ${one.name}?`, h("p", "They lose all that the team shares."), { yes: "Put out" })) {
      await remove(`${path}/members/${encodeURIComponent(member.user_id)}`);
      again();
    }
  }, { quiet: true });
  const invite = button("Invite somebody", async () => {
    const user = await askText(`Into ${one.name}`, { label: "Their user id", yes: "Invite" });
    if (user) { await post(`${path}/invitations`, { user_id: user }); toast("Invited."); }
  }, { quiet: true });
  return section(one.name, h("p.quiet", "You are its ", membership.role, ", since ", day(membership.joined_at), "."),
    table(["Member", "Role", "Since", ""], members.map((member) => [member.user_id, role(member), when(member.joined_at), out(member) || ""])),
    tends && invite);
}
