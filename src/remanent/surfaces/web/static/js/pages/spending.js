// Spending: what reading cost, by day, task and model, and what is left of the day's budget.

import { get } from "../api.js";
import { count, day, empty, h, section, table } from "../dom.js";

export const title = "Spending";
const money = (usd) => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
const cost = (one) => `${money(one.usd)} · ${count(one.calls, "call")} · ${count(one.tokens_in + one.tokens_out, "token")}`;

export async function render({ signal }) {
  const one = await get("/v1/spending", {}, signal);
  const { budget } = one;
  const left = [budget.usd_left !== null && money(budget.usd_left), budget.tokens_left !== null && count(budget.tokens_left, "token")].filter(Boolean);
  return [h("h1", title),
    h("div.two", section("Today", h("p", cost(one.today)), h("p.quiet", left.length ? `Left today: ${left.join(", ")}` : ["No budget is set: ", h("code", "budget.usd_per_day"), " sets one."])),
      section("In all", h("p", cost(one.total)))),
    one.rows.length ? h("section", table(["Day", "Job", "Task", "Model", "Calls", "Tokens", "Cost"], one.rows.map((row) =>
      [day(row.day), row.job, row.task, row.model, row.calls, row.tokens_in + row.tokens_out, money(row.usd)])))
      : empty("Nothing was spent", h("p", "The built-in mind works on this machine and asks nobody. With a language model, each call is counted here."))];
}
