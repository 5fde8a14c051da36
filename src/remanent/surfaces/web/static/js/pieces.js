// Pieces that several pages show: hits, beliefs, sources, what a new memory needs, how present a memory is.

import { can, get, post } from "./api.js";
import { ago, at, badge, button, count, day, h, home, link, now, percent, toast, when } from "./dom.js";
import { sparkline, stacked } from "./charts.js";

/** One result: what it is, what it says, where it was said, and why it stands here. */
export function hit(one, most) {
  const isPassage = one.kind === "passage";
  const told = one.kind === "relationship" && one.source_key; // it has no page of its own
  const target = told ? home("source", told) : isPassage ? home("passage", one.source_key, { p: one.key }) : home(one.kind, one.key);
  const gone = one.holds === false || one.superseded_by || one.kind === "past_belief";
  const words = gone ? h("s", one.text) : one.text;
  const place = isPassage ? ["in ", link(home("source", one.source_key, { p: one.key }), one.title || "its source")]
    : one.source_key && one.kind !== "source" ? link(home("source", one.source_key), "where it was said") : "";
  return h("li.hit", { "data-key": one.key },
    h("div.hit-head", badge(one.kind), when(one.at), one.speaker && h("span", one.speaker), h("span.place", place), one.cold && h("span", "called back from the archive"), stacked(one.signals, one.score, most)),
    h("a.hit-text", { href: target }, words),
    gone && h("p.replaced", "No longer so", one.superseded_at && [" since ", when(one.superseded_at)],
      one.superseded_by && [": ", link(home("belief", one.superseded_by), "what replaced it")]));
}

const TWO_WEEKS = 14 * 86_400_000;

/** A belief in a list, with what is left of its confidence. */
export function beliefRow({ belief, effective_confidence: left, course }) {
  const gone = belief.status !== "active";
  const span = (course.length - 1) * TWO_WEEKS;
  const place = (now() - new Date(belief.updated_at)) / span;
  const label = `confidence now ${percent(left)}, of ${percent(belief.confidence)} on ${day(belief.updated_at)}`;
  return h("li.belief", { "data-key": belief.key },
    h("div", h("a.hit-text", { href: home("belief", belief.key) }, gone ? h("s", belief.statement) : belief.statement),
      h("p.quiet", belief.type, " · about ", belief.subject === "owner" ? "you" : belief.subject, " · since ", when(belief.since),
        gone && [" · ", belief.status], belief.disputes && " · disputed", belief.life.ttl_policy === "keep_forever" && " · pinned")),
    h("div.confidence", { title: label }, sparkline(course, place, label), h("b", percent(left))));
}

export function sourceRow(one) {
  return h("li.source", link(home("source", one.key), one.title || one.summary || "Untitled"),
    h("p.quiet.clip", [one.content_type, one.team_id && "shared with a team", one.processing_status !== "extracted" && one.processing_status]
      .filter(Boolean).join(" · "), one.title && one.summary ? ` · ${one.summary}` : ""));
}

/** How present a memory is, and what can be done about it. */
export function presence(key, life, again, { pins = true, archives = true } = {}) {
  const kept = life.ttl_policy === "keep_forever";
  const change = (verb, said) => () => post(`/v1/memories/${key}/${verb}`).then(() => { toast(said); return again(); });
  return h("div.presence",
    h("span", h("b", percent(life.salience)), " salience · ", life.state, " · ", count(life.access_count, "access", "accesses"),
      life.last_accessed_at && ` · last ${ago(life.last_accessed_at)}`),
    h("a.button.quiet", { href: at("curve", key) }, "How it fades"),
    pins && can("write") && [
      kept ? button("Let it fade again", change("unpin", "It fades again from now on."), { quiet: true })
        : button("Keep for ever", change("pin", "Kept for ever."), { quiet: true }),
      archives && (life.state === "archived" ? button("Call it back", change("restore", "It is back."), { quiet: true })
        : !kept && button("Archive", change("archive", "Archived; its address still leads here."), { quiet: true })),
    ]);
}

/** Take in the five weeks of the demo, then let it be read. */
export async function loadDemo(told) {
  const life = await (await fetch("/web/demo.json")).json();
  for (const [place, one] of life.entries()) {
    told(`Taking in ${place + 1} of ${life.length}: ${one.body.title ?? one.body.text}`);
    await post(one.path, one.body);
  }
  told("Reading it. This goes on by itself; the page shows what is there already.");
}

/** What to do with a memory that holds nothing yet. */
export function beginnings(again) {
  const told = h("p", { role: "status" });
  const demo = button("Load the demo life", () => loadDemo((text) => { told.textContent = text; }).then(again));
  return h("div.empty.begin",
    h("h2", "Nothing is remembered yet"),
    h("p", "A memory begins with something that was said. Three ways to begin:"),
    h("ol",
      h("li", h("b", "Write a note "), "above: a few sentences on your day. People, places and what you hold true are read out of it."),
      h("li", link(at("import"), "Import your past"), ": an export of ChatGPT, Claude or Slack, a mailbox, transcripts, a folder of notes."),
      h("li", h("b", "Look at a life that is not yours"), ": five weeks of Ada, who moves, changes her mind about coffee and leads a project.")),
    can("write") ? demo : h("p.quiet", "This key only reads."), told);
}

/** All pages of a list, up to `most`. */
export async function every(path, query, signal, most = 1000) {
  const items = [];
  let after = "";
  do {
    const page = await get(path, { ...query, limit: Math.min(500, most), after }, signal);
    items.push(...page.items);
    after = page.next;
  } while (after && items.length < most);
  return items;
}
