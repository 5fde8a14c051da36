// One belief: how sure, on whose word, what it replaced and what replaced it.

import { can, get, post } from "../api.js";
import { ask, askText, at, button, count, day, h, home, link, percent, section, toast, when } from "../dom.js";
import { presence } from "../pieces.js";

export async function render({ key, signal, again, title }) {
  const path = encodeURIComponent(key);
  const [{ page, why }, history] = await Promise.all([
    get(`/v1/beliefs/${path}`, {}, signal), get(`/v1/beliefs/${path}/history`, {}, signal)]);
  const { node } = page;
  const active = node.status === "active";
  title(node.statement);
  return [
    h("div", h("h1", active ? node.statement : h("s", node.statement)),
      h("p.lead", node.type, " · about ", node.subject === "owner" ? "you" : node.subject, " · ", node.status, " · importance ", node.importance,
        " of 10 · held since ", when(node.since), node.until && [" until ", when(node.until)])),
    h("p", "Confidence ", h("b", percent(node.confidence)), " when it was last confirmed, on ", when(node.updated_at),
      node.life.ttl_policy === "keep_forever" ? "; pinned: it stays as sure as it is." : `; stability ${node.stability.toFixed(1)}.`),
    node.superseded_by && h("p", active ? "Weakened by " : "Replaced by ", link(home("belief", node.superseded_by), page.titles[node.superseded_by] ?? "another belief")),
    node.disputes && h("p", "Speaks against ", link(home("belief", node.disputes), page.titles[node.disputes] ?? "another belief")),
    active && can("write") && actions(node, again),
    presence(node.key, node.life, again, { pins: active, archives: false }),
    h("div.two", evidence(why), chain(history)),
  ].filter(Boolean);
}

function actions(node, again) {
  const path = `/v1/beliefs/${node.key}`;
  return h("div.row",
    button("It is so", async () => {
      await post("/v1/remember", { text: node.statement });
      toast("Your word stands behind it now.");
      again();
    }),
    button("Correct…", async () => {
      const statement = await askText("Correct this belief", { label: "What it says from now on", value: node.statement, long: true });
      if (!statement || statement === node.statement) return;
      await post(`${path}/restate`, { statement });
      toast("Corrected.");
      again();
    }, { quiet: true }),
    button("Forget…", async () => {
      if (!await ask("Forget this belief?", h("p", "It is put out of mind for good. Its trail stays, so that it can be seen why."), { yes: "Forget it" })) return;
      await post(`${path}/forget`, { reason: "by hand" });
      toast("Forgotten.");
      location.hash = at("beliefs");
    }, { danger: true }));
}

function evidence(why) {
  const row = (one) => h("li", h("blockquote", one.quote), h("p.quiet", one.speaker && `${one.speaker} · `, when(one.support.at),
    one.support.source_key && [" · ", link(home("source", one.support.source_key, { p: one.support.passage_key }), one.title || "where it was said")],
    one.through.length > 0 && ` · through ${one.through.map((step) => step.statement).join(" → ")}`));
  return section(`Behind it: ${count(why.length, "episode")}`, why.length ? h("ul.plain", why.map(row)) : h("p.quiet", "Nothing that can still be read."));
}

function chain(history) {
  const row = ({ belief, occurrences }) => h(`li${belief.status === "active" ? ".held" : ""}`,
    h("div", belief.key === history.key ? h("b", belief.statement) : link(home("belief", belief.key), belief.status === "active" ? belief.statement : h("s", belief.statement))),
    h("p.quiet", when(belief.since), " – ", belief.until ? when(belief.until) : belief.status === "active" ? "now" : belief.status),
    h("details", h("summary.quiet", count(occurrences.length, "change")), h("ul", occurrences.map(({ change, words }) =>
      h("li", day(change.recorded_at), ": ", change.kind, change.confidence !== null && `, ${percent(change.confidence)}`, change.reason && `; ${change.reason}`, words && ` – “${words}”`)))));
  return section("How it came about", h("ol.chain", history.chapters.map(row)));
}
