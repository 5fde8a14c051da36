// The graph: people, concepts and entities with their relationships, as it grew.

import { get, post } from "../api.js";
import { at, badge, button, choices, count, day, empty, h, home, link, now, percent, toast, when } from "../dom.js";
import { Drawing } from "../canvas.js";
import { beginnings } from "../pieces.js";

export const title = "Graph";
const SIZES = [["100", "100 at most"], ["300", "300 at most"], ["1000", "1,000 at most"], ["2000", "2,000 at most"]];
export async function render({ query, signal, again }) {
  const asked = { around: query.get("around") ?? "", q: query.get("q") ?? "", limit: query.get("limit") ?? "300" };
  const around = asked.q ? await named(asked.q, signal) : asked.around ? [asked.around] : [];
  const found = await get("/v1/graph", { around, limit: asked.limit }, signal);
  const go = (more) => { location.hash = at("graph", "", { ...asked, ...more }); };
  const words = h("input", { type: "search", value: asked.q, placeholder: "Around a name or a question", "aria-label": "Around a name or a question" });
  const head = [h("h1", title),
    h("form.row", { onsubmit: (event) => { event.preventDefault(); go({ q: words.value, around: "" }); } }, words,
      h("button.button", { type: "submit" }, "Show"), choices(SIZES, asked.limit, (limit) => go({ limit }), "How many"),
      (asked.q || asked.around) && h("a.button.quiet", { href: at("graph") }, "The whole graph"))];
  if (!found.nodes.length || (found.nodes.length === 1 && !asked.q && !asked.around)) return [...head, asked.q ? empty("Nobody and nothing of that name", h("p", "Try another word.")) : beginnings(again)];
  const canvas = h("div.canvas", { role: "img", "aria-label": `A graph of ${count(found.nodes.length, "node")} and ${count(found.edges.length, "relationship")}; the list beside it names them.` });
  const side = h("div.side");
  const picture = new Picture(found, canvas, side);
  signal.addEventListener("abort", () => picture.end());
  window.addEventListener("page-shown", () => picture.begin(around[0]), { once: true });
  return [...head, h("div.with-side", h("div", canvas, picture.slider()), side),
    h("p.legend", ["person", "concept", "entity"].map((kind) => h("span", h(`i.dot.${kind}`), kind)), h("span", "larger: more salient · paler: fading, or not so any more"))];
}

/** The people and things that a question leads to. */
async function named(question, signal) {
  const { items } = await post("/v1/search", { query: question, kinds: ["person", "concept", "entity"], limit: 5, touch: false }, signal);
  return items.slice(0, 3).map((one) => one.key);
}

class Picture {
  constructor(found, canvas, side) {
    Object.assign(this, { found, canvas, side, until: now(), chosen: null, near: new Set() });
    this.nodes = new Map(found.nodes.map((one) => [one.key, { ...one, begun: Date.parse(one.since) }]));
    this.edges = found.edges.map((one) => ({ ...one, source: this.nodes.get(one.src), target: this.nodes.get(one.dst),
      begun: Date.parse(one.valid_from), over: one.valid_to ? Date.parse(one.valid_to) : Infinity }));
    this.first = Math.min(now(), ...[...this.nodes.values(), ...this.edges].map((one) => one.begun));
  }

  async begin(key) {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const card = colour("card");
    this.colours = { card, ink: colour("ink"), dim: mix(colour("soft"), card, 0.78) };
    this.kinds = Object.fromEntries(["person", "concept", "entity"].map((kind) => [kind, [colour(kind), mix(colour(kind), card, 0.5)]]));
    const faint = mix(colour("soft"), card, 0.55);
    this.lines = { held: { colour: faint, width: 1.2 }, past: { colour: this.colours.dim, width: 0.6 }, here: { colour: colour("accent"), width: 2 }, was: { colour: faint, width: 1.4 } };
    this.many = this.nodes.size > 400;
    this.drawing = new Drawing(this.canvas, {
      nodes: [...this.nodes.values()], edges: this.edges, colours: this.colours,
      look: (node) => this.look(node), line: (edge) => this.line(edge), chosen: (node) => this.choose(node?.key ?? null),
    });
    this.canvas.drawing = this.drawing;
    this.choose(this.nodes.has(key) ? key : null);
    await this.drawing.settle(this.edges, this.many ? 120 : 250).catch((problem) => toast(problem.message, true));
    this.canvas.dataset.ready = "1";
  }

  look(one) {
    if (one.begun > this.until) return null;
    const near = !this.chosen || one.key === this.chosen || this.near.has(one.key);
    const pale = one.state === "archived" || one.state === "candidate";
    const rank = this.rank?.get(one.key);
    const size = rank === undefined ? (this.many ? 2 : 4) + one.salience * (this.many ? 4 : 9) : 4 + rank * 14;
    return { colour: near ? this.kinds[one.kind][pale ? 1 : 0] : this.colours.dim, size, label: near, weight: one.key === this.chosen ? 99 : size + one.source_count / 10 };
  }

  line(one) {
    if (one.begun > this.until) return null;
    const over = one.over <= this.until;
    if (this.chosen && (one.src === this.chosen || one.dst === this.chosen)) return over ? this.lines.was : this.lines.here;
    return over ? this.lines.past : this.lines.held;
  }

  choose(key) {
    this.chosen = key;
    this.rank = null;
    this.near = new Set(this.edges.filter((one) => one.src === key || one.dst === key).flatMap((one) => [one.src, one.dst]));
    this.drawing.refresh();
    if (key) this.tell(this.nodes.get(key));
    else this.list();
  }

  /** The nodes by name: what a keyboard and a reader of screens have. */
  list() {
    const shown = this.found.nodes.filter((one) => Date.parse(one.since) <= this.until).slice(0, 60);
    this.side.replaceChildren(h("section", h("h2", count(this.found.nodes.length, "node"), ", ", count(this.found.edges.length, "relationship")),
      h("ul.plain", shown.map((one) => h("li", badge(one.kind), h("button.button.quiet", { type: "button", onclick: () => this.choose(one.key) }, one.name))))));
  }

  async tell(one) {
    const touching = this.found.edges.filter((edge) => edge.src === one.key || edge.dst === one.key);
    const row = (edge) => {
      const other = this.nodes.get(edge.src === one.key ? edge.dst : edge.src);
      const words = [h("b", edge.type), " ", h("button.button.quiet", { type: "button", onclick: () => this.choose(other.key) }, other.name)];
      return h("li", edge.valid_to ? h("s", words) : words, h("p.quiet", when(edge.valid_from), " – ", edge.valid_to ? when(edge.valid_to) : "now", edge.description && ` · ${edge.description}`));
    };
    const notes = h("ul.plain", h("li.quiet", "…"));
    this.side.replaceChildren(h("section", h("h2", one.name), h("p.quiet", badge(one.kind), " ", one.type, one.type && " · ", percent(one.salience), " salience · ", one.state),
      h("div.row", link(at("anchor", one.key), "Its page"), link(at("graph", "", { around: one.key }), "From here"),
        button("What hangs together", () => this.pagerank(one), { quiet: true }), button("Close", () => this.choose(null), { quiet: true })),
      h("h3", count(touching.length, "relationship")), h("ul.plain", touching.map(row)), h("h3", "Notes"), notes));
    const { page } = await get(`/v1/memories/${one.key}`);
    notes.replaceChildren(...page.notes.slice(-12).reverse().map((note) => h("li", note.content, h("p.quiet",
      note.source_key && [link(at("source", note.source_key), page.titles[note.source_key] ?? "its source"), " · "], note.expires_at ? ["until ", when(note.expires_at)] : "for good"))));
  }

  /** PageRank from here: the most often passed are drawn largest. */
  async pagerank(one) {
    const { reached } = await post("/v1/traverse", { seeds: [one.key], top_k: 50, touch: false });
    const most = Math.max(...reached.map((each) => each.score), 1e-9);
    this.rank = new Map(reached.map(({ key, score }) => [key, score / most]));
    this.near = new Set(reached.map(({ key }) => key));
    this.drawing.refresh();
    this.side.firstChild.append(h("h3", "Most often passed from here"), h("ol", reached.slice(0, 12).map(({ key, kind, title: name, score }) =>
      h("li", link(home(kind, key), name), " ", h("span.quiet", percent(score / most))))));
  }

  /** A slider that lets the graph grow from its first day to now. */
  slider() {
    const told = h("output", "now");
    const control = h("input", { type: "range", min: 0, max: 200, value: 200, "aria-label": "How the graph grew: the day to show", oninput: () => this.show(control, told) });
    control.value = 200;
    const play = button("Replay", async () => {
      for (let step = 0; step <= 200 && this.canvas.isConnected; step += 2) {
        control.value = step;
        this.show(control, told);
        await new Promise((resolve) => { setTimeout(resolve, 40); });
      }
    }, { quiet: true });
    const zoom = (text, by) => button(text, () => this.drawing.zoom(by), { quiet: true });
    return h("div.row.replay", play, control, told, zoom("Nearer", 1.4), zoom("Further", 0.7));
  }

  show(control, told) {
    const share = control.value / 200;
    this.until = share >= 1 ? now() : this.first + share * (now() - this.first);
    told.textContent = share >= 1 ? "now" : day(this.until);
    this.drawing.refresh();
  }

  end() { this.drawing?.end(); }
}

/** A colour between two. */
function mix(one, other, share) {
  const parts = (text) => [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16));
  const [a, b] = [parts(one), parts(other)];
  return `#${a.map((value, n) => Math.round(value + (b[n] - value) * share).toString(16).padStart(2, "0")).join("")}`;
}
