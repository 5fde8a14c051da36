// Keys: who gets in with what, and how to make and revoke them.

import { can, get, post, remove, session } from "../api.js";
import { ask, button, empty, field, h, table, toast, when } from "../dom.js";

export const title = "Keys";

export async function render({ signal, again }) {
  if (!can("manage")) return [h("h1", title), empty("This key does not manage keys", h("p", "Sign in with one that has the power to manage, or use ", h("code", "remanent key"), "."))];
  const { items } = await get("/v1/keys", { limit: 200 }, signal);
  return [h("h1", title), make(again),
    items.length ? h("section", table(["Name", "Whose", "May", "Made", "Last used", "Runs out", ""], items.map((one) => row(one, again))))
      : empty("There is no key", h("p", "Programs come with a key. Make one for each, so that each can be revoked alone."))];
}

function row(one, again) {
  const name = one.revoked_at ? h("s", one.name) : one.name;
  const end = one.revoked_at ? ["revoked ", when(one.revoked_at)] : button("Revoke", async () => {
    if (await ask(`Revoke ${one.name}?`, h("p", "Whoever uses it is let in no more, at once and for good."), { yes: "Revoke it" })) {
      await remove(`/v1/keys/${encodeURIComponent(one.key_id)}`);
      again();
    }
  }, { quiet: true });
  return [[name, one.team && ` (team ${one.team})`], one.user_id ?? "a service", [...one.powers].join(", "), when(one.created_at), when(one.last_used_at) || "never", when(one.expires_at) || "never", end];
}

function make(again) {
  const name = h("input", { required: true, placeholder: "laptop" });
  const powers = ["read", "write", "manage"].map((one) => h("label.check", h("input", { type: "checkbox", value: one, checked: one !== "manage" }), one));
  const made = h("div", { role: "status" });
  return h("form.card", {
    onsubmit: async (event) => {
      event.preventDefault();
      const chosen = powers.map((one) => one.firstChild).filter((one) => one.checked).map((one) => one.value);
      try {
        const { secret } = await post("/v1/keys", { name: name.value, powers: chosen, user_id: session.user });
        made.replaceChildren(h("p", "Keep it now: it is shown this once."), h("pre", secret), button("I have it", again, { quiet: true }));
      } catch (problem) { toast(problem.message, true); }
    },
  }, h("h2", "A new key for ", session.user), h("div.row.low", field("What to call it", name), powers, h("button.button", { type: "submit" }, "Make it")), made);
}
