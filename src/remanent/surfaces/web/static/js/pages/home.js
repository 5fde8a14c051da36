// Home: what is going on, what changed last night, how the memory is, a note to add, a question to ask.

import { can, get, post, session, tends } from "../api.js";
import { at, badge, count, day, h, home, link, now, section, toast, weekday, when } from "../dom.js";
import { beginnings, beliefRow, hit, sourceRow } from "../pieces.js";

export const title = "Home";
const NIGHT = 36 * 3_600_000;

export async function render({ signal, again }) {
  const since = new Date(now() - NIGHT).toISOString();
  const [status, stories, sources, changed, doctor] = await Promise.all([
    get("/v1/status", {}, signal),
    get("/v1/stories", { limit: 30 }, signal),
    get("/v1/sources", { limit: 7 }, signal),
    get("/v1/beliefs/outlook", { since, limit: 60 }, signal),
    tends() && can("manage") ? get("/v1/doctor", { offline: true }, signal) : null,
  ]);
  session.status = status;
  const before = changed.items.length || !sources.items.length ? [] : await lastChanges(sources.items[0], signal);
  const isNew = !sources.items.length && !status.counts.belief;
  return [
    h("div", h("h1", status.name ? `The memory of ${status.name}` : "Your memory"), h("p.lead", counted(status.counts))),
    h("div.two", noteBox(again), askBox()),
    isNew ? beginnings(again) : [
      h("div.two",
        h("div", lastNight(changed.items, before), goingOn(stories.items)),
        h("div", recent(sources.items), health(status, doctor))),
    ],
  ].flat();
}

function counted(counts) {
  const people = counts.person + counts.concept + counts.entity;
  return [count(counts.source, "source"), count(people, "person or thing", "people and things"), count(counts.belief, "belief"),
    count(counts.relationships, "relationship"), count(counts.storyline, "storyline")].join(" · ");
}

function noteBox(again) {
  const shared = h("input", { type: "checkbox" });
  const text = h("textarea", { rows: 3, required: true, "aria-label": "A note", placeholder: "What happened? Who was there?" });
  return h("form.card", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await post("/v1/sources", { content: text.value, type: "text-note", ...(shared.checked && { team: session.team }) });
        toast("Taken in. It is being read.");
        again();
      } catch (problem) { toast(problem.message, true); }
    },
  }, h("h2", "Add a note"), text, h("div.row.end", session.team && h("label.check", shared, "share it with the team"), h("button.button", { type: "submit", disabled: !can("write") }, "Remember this")));
}

function askBox() {
  const text = h("input", { required: true, "aria-label": "A question", placeholder: "Where does Maria live?" });
  const found = h("ol.hits", { "aria-live": "polite" });
  return h("form.card", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        const { items, reason } = await post("/v1/search", { query: text.value, limit: 4, explain: false });
        found.replaceChildren(...items.map((one) => hit(one, items[0].score)));
        if (items.length) found.append(h("li", link(at("search", "", { q: text.value }), "All that was found")));
        else found.append(h("li.quiet", reason || "Nothing in this memory answers that."));
      } catch (problem) { toast(problem.message, true); }
    },
  }, h("h2", "Ask"), h("div.row", text, h("button.button", { type: "submit" }, "Ask")), found);
}

const WENT = ["forgotten", "pruned"];

/** What changed when something last did, where the night was quiet. */
async function lastChanges(newest, signal) {
  const since = new Date(new Date(newest.created_at) - 86_400_000).toISOString();
  return (await get("/v1/beliefs/outlook", { since, limit: 6 }, signal)).items;
}

function lastNight(changed, before) {
  const kinds = (one) => one.belief.changes.filter((change) => now() - new Date(change.recorded_at) < NIGHT).map((change) => change.kind);
  const gone = changed.filter((one) => WENT.includes(one.belief.status));
  const minds = changed.filter((one) => !gone.includes(one) && (one.belief.status === "invalidated" || kinds(one).some((kind) => ["weakened", "restated", "disputed"].includes(kind))));
  const learned = changed.filter((one) => one.belief.status === "active" && kinds(one).includes("created") && !minds.includes(one));
  const part = (name, list) => list.length > 0 && [h("h3", name, h("span.tally", list.length)), h("ul.beliefs", list.slice(0, 5).map(beliefRow))];
  return section("Since last night",
    learned.length + minds.length + gone.length ? [part("Learned", learned), part("Changed its mind about", minds), part("Forgotten", gone)]
      : [h("p.quiet", "Nothing was learned, changed or forgotten since last night."),
        before.length > 0 && [h("h3", "What was learned last"), h("ul.beliefs", before.map(beliefRow))]]);
}

function goingOn(stories) {
  const macros = stories.filter((one) => "storyline_count" in one);
  const open = stories.filter((one) => !("storyline_count" in one) && !one.closed_at);
  const row = (one) => h("li", badge("storyline_count" in one ? "macro" : "storyline"), link(home("storyline", one.key), one.name),
    h("p.quiet", one.description || count(one.source_count ?? one.total_source_count, "source"), " · last ", when(one.last_source_at ?? one.last_event_at)));
  return section("What is going on",
    macros.length + open.length ? h("ul.plain", [...macros, ...open].slice(0, 8).map(row))
      : h("p.quiet", "No storyline yet. One opens when a person or thing comes up on three days in five sources."));
}

function recent(sources) {
  const days = Map.groupBy ? Map.groupBy(sources, (one) => day(one.started_at))
    : sources.reduce((all, one) => all.set(day(one.started_at), [...(all.get(day(one.started_at)) ?? []), one]), new Map());
  return section("Recent days", [...days.values()].map((list) => [h("h3", weekday(list[0].started_at)), h("ul.plain", list.map(sourceRow))]),
    h("p", link(at("sources"), "All sources")));
}

function health(status, doctor) {
  const { ready, running, parked } = status.jobs;
  const work = parked ? [link(at("jobs"), count(parked, "job")), " failed and wait for you."]
    : ready + running ? [link(at("jobs"), count(ready + running, "job")), " to do."] : "All work is done.";
  const wrong = (doctor?.findings ?? []).filter((one) => one.level !== "ok");
  return section("Health", h("ul.plain",
    h("li", work),
    h("li", "Reads with ", h("code", status.mind), ", finds with ", h("code", status.embedder), "."),
    doctor && !wrong.length && h("li", "The doctor finds nothing wrong."),
    wrong.map((one) => h("li", h("b", one.part), ": ", one.told, ". ", one.remedy))));
}
