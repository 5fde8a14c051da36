// Small drawings: a stacked score, a sparkline, a curve over time.

import { day, h, percent, s } from "./dom.js";

const SCORE = {
  lexical: "words", around: "words around it", session: "words of its source", dense: "meaning", part: "meaning of a part",
  session_dense: "meaning of its source", recent: "time", asking: "a question", short: "shortness", voice: "who said it",
};

/** The parts of a score, side by side, as wide as they weigh; `most` is the best score on the page. */
export function stacked(signals, score, most) {
  const parts = Object.entries(signals).filter(([, value]) => value > 0);
  const whole = parts.reduce((sum, [, value]) => sum + value, 0) || 1;
  const told = parts.map(([name, value]) => `${SCORE[name] ?? name} ${value.toFixed(2)}`).join(", ");
  const bar = h("span.stack", { role: "img", "aria-label": `score ${score.toFixed(2)}: ${told}`, title: told,
    style: { width: `${Math.max(4, Math.min(1, score / (most || 1)) * 100)}%` } },
    parts.map(([name, value], place) => h(`span.part.p${place % 8}`, { "data-name": name, style: { flex: String(value / whole) } })));
  return h("span.score", h("span.track", bar), h("span.number", score.toFixed(2)));
}

/** A line of values, with a mark at `place` (0 to 1). */
export function sparkline(values, place, label) {
  const [wide, high] = [96, 24];
  const x = (n) => 3 + (n / (values.length - 1)) * (wide - 6);
  const y = (value) => high - 2 - value * (high - 4);
  const path = values.map((value, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const now = Math.max(0, Math.min(1, place));
  const value = values[Math.round(now * (values.length - 1))];
  return s("svg.spark", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label },
    s("path.line", { d: path }), s("circle.now", { cx: 3 + now * (wide - 6), cy: y(value), r: 2.5 }));
}

/** How wide a drawing may be here, in pixels: its text is as large as text. */
export const room = (most) => Math.max(280, Math.min(most, document.getElementById("main").clientWidth - 90));

/** Curves of {at, value} over time, from 0 to 1, with marks at moments. */
export function curve({ lines, marks = [], label }) {
  const [wide, high, left, bottom] = [room(880), 260, 40, 28];
  const times = [...lines.flatMap((one) => one.points.map((p) => +p.at)), ...marks.map((one) => +one.at)];
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const x = (moment) => left + ((+moment - first) / (last - first || 1)) * (wide - left - 12);
  const y = (value) => 10 + (1 - value) * (high - bottom - 10);
  const path = (points) => points.map((p, n) => `${n ? "L" : "M"}${x(p.at).toFixed(1)} ${y(p.value).toFixed(1)}`).join("");
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const steps = wide < 500 ? 2 : 4;
  const dates = Array.from({ length: steps + 1 }, (_, n) => new Date(first + ((last - first) * n) / steps));
  return s("svg.curve", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label },
    ticks.map((one) => [s("line.grid", { x1: left, x2: wide - 12, y1: y(one), y2: y(one) }),
      s("text.tick", { x: left - 6, y: y(one) + 4, "text-anchor": "end" }, percent(one))]),
    dates.map((one, n) => s("text.tick", { x: x(one), y: high - 8, "text-anchor": n === 0 ? "start" : n === steps ? "end" : "middle" }, day(one))),
    lines.map((one) => s(`path.line.${one.name}`, { d: path(one.points) })),
    marks.map((one) => s(`g.mark.${one.kind ?? "now"}`, one.kind === "access" ? s("circle", { cx: x(one.at), cy: high - bottom, r: 3.5 })
      : s("line", { x1: x(one.at), x2: x(one.at), y1: 10, y2: high - bottom }), s("title", `${one.name}, ${day(one.at)}`))));
}
