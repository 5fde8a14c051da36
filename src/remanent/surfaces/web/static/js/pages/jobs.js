// Jobs: what is to be done, what failed and why, and when the night does what.

import { can, get, post, remove, stream } from "../api.js";
import { button, choices, at, count, empty, h, home, link, minute, section, table, toast, when } from "../dom.js";

export const title = "Jobs";

export async function render({ query, signal, again }) {
  const state = query.get("state") ?? "";
  const open = state ? [state] : ["ready", "running", "parked"];
  const [jobs, nights] = await Promise.all([get("/v1/jobs", { state: open, limit: 200 }, signal), get("/v1/timetable", {}, signal)]);
  const told = h("p.quiet", { role: "status" });
  const work = button("Do what is due now", async () => {
    let done = 0;
    await stream("POST", "/v1/work", { body: {}, signal, told: (name, step) => {
      if (name === "step") told.textContent = `${count(++done, "job")} done, ${step.remaining} to do: ${step.kind}${step.error ? ` (${step.error})` : ""}`;
    } });
    toast(`${count(done, "job")} done.`);
    again();
  });
  const sleep = button("Sleep now", async () => {
    told.textContent = "Sleeping: decay, consolidation, promotion, refresh, forgetting…";
    await stream("POST", "/v1/sleep", { body: {}, signal, told: (name, step) => {
      if (name === "phase") told.textContent = `${step.job ?? "promised work"}…`;
    } });
    toast("Awake again.");
    again();
  }, { quiet: true });
  const counts = Object.entries(jobs.counts).map(([name, number]) => `${number} ${name}`).join(" · ");
  return [
    h("div", h("h1", title), h("p.lead", counts)),
    h("div.row", can("write") && [work, sleep], choices([["", "Open ones"], ["ready", "Ready"], ["running", "Running"], ["parked", "Failed and parked"], ["done", "Done"]], state,
      (value) => { location.hash = at("jobs", "", { state: value }); }, "Which jobs")),
    told,
    jobs.items.length ? h("section", table(["What", "State", "Tries", "When", "Problem", ""], jobs.items.map((one) => row(one, again))))
      : empty("Nothing waits", h("p", "All that came in has been read. Jobs that fail again and again are parked here, with the reason, for you to retry.")),
    section("The nights", table(["Job", "When", "Done up to", "Next"], nights.items.map((one) => [one.job.replaceAll("_", " "), h("code", one.expression), when(one.done_until, minute) || "never", when(one.next, minute)]))),
  ];
}

function row(one, again) {
  const what = one.payload.source_key ? [one.kind, " ", link(home("source", one.payload.source_key), "of a source")] : one.kind;
  const retry = one.state === "parked" && button("Retry", () => post(`/v1/jobs/${encodeURIComponent(one.key)}/retry`).then(again), { quiet: true });
  const drop = one.state !== "done" && button("Drop", () => remove(`/v1/jobs/${encodeURIComponent(one.key)}`).then(again), { quiet: true });
  return [what, one.state, one.attempts, when(one.run_at, minute), one.error ?? "", can("write") ? h("div.row", retry, drop) : ""];
}
