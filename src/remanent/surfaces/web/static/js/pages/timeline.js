// The timeline: sources as dots and bursts, storylines as arcs, macros as bands, over months.

import { get } from "../api.js";
import { at, button, count, day, h, home, s } from "../dom.js";
import { room } from "../charts.js";
import { beginnings, every } from "../pieces.js";

export const title = "Timeline";
const DAY = 86_400_000;
const GAP = 14 * DAY;
const isMacro = (one) => "storyline_count" in one;

export async function render({ signal, again }) {
  const [sources, stories] = await Promise.all([
    every("/v1/sources", { include_archived: true }, signal, 3000), every("/v1/stories", {}, signal, 500)]);
  if (!sources.length) return [h("h1", title), beginnings(again)];
  const times = sources.map((one) => Date.parse(one.started_at));
  const whole = [Math.min(...times) - 2 * DAY, Math.max(...times) + 2 * DAY];
  const gapped = [...times].sort((a, b) => a - b).some((one, n, all) => n && one - all[n - 1] > GAP);
  let span = [...whole];
  const place = h("div");
  const told = h("p.lead");
  const fill = () => {
    place.replaceChildren(draw(sources, stories, span));
    const seen = times.filter((one) => one >= span[0] && one <= span[1]).length;
    told.textContent = `${day(span[0])} – ${day(span[1])} · ${count(seen, "source")}`;
  };
  const zoom = (by, middle = (span[0] + span[1]) / 2) => {
    const wide = Math.max(2 * DAY, Math.min(whole[1] - whole[0], (span[1] - span[0]) * by));
    const share = (middle - span[0]) / (span[1] - span[0]);
    move(middle - wide * share, wide);
  };
  const move = (start, wide = span[1] - span[0]) => {
    const first = Math.max(whole[0], Math.min(start, whole[1] - wide));
    span = [first, first + wide];
    fill();
  };
  place.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && Math.abs(event.deltaX) < Math.abs(event.deltaY)) return;
    event.preventDefault();
    const box = place.getBoundingClientRect();
    if (event.ctrlKey) zoom(event.deltaY > 0 ? 1.25 : 0.8, span[0] + ((event.clientX - box.left) / box.width) * (span[1] - span[0]));
    else move(span[0] + (event.deltaX / box.width) * (span[1] - span[0]));
  }, { passive: false });
  fill();
  const part = () => (span[1] - span[0]) / 3;
  return [h("div", h("h1", title), told),
    h("div.row", button("Earlier", () => move(span[0] - part()), { quiet: true }), button("Later", () => move(span[0] + part()), { quiet: true }),
      button("Nearer", () => zoom(0.5), { quiet: true }), button("Further", () => zoom(2), { quiet: true }), button("All", () => { span = [...whole]; fill(); }, { quiet: true })),
    h("section", place),
    h("p.legend", h("span", h("i.dot.source"), "a source"), h("span", h("i.burst"), "how many that day"), h("span", h("i.story"), "a storyline"), stories.some(isMacro) && h("span", h("i.macro"), "a macro"), gapped && h("span", h("i.gap"), "two weeks and more without a word"))];
}

function draw(sources, stories, [first, last]) {
  const macros = stories.filter(isMacro);
  const lines = stories.filter((one) => !isMacro(one));
  const [wide, arcs] = [room(1040), 40 + Math.min(6, lines.length) * 26];
  const bands = 16 + macros.length * 22;
  const base = bands + (lines.length ? arcs : 20) + 10;
  const days = new Map();
  for (const one of sources) {
    const date = one.started_at.slice(0, 10);
    days.set(date, [...(days.get(date) ?? []), one]);
  }
  const most = Math.max(...[...days.values()].map((list) => list.length));
  const high = base + 46 + Math.min(5, most) * 11;
  const x = (moment) => ((moment - first) / (last - first)) * wide;
  const drawing = s("svg.timeline", { viewBox: `0 0 ${wide} ${high}`, role: "group", "aria-label": "Sources and stories over time" });
  const times = sources.map((one) => Date.parse(one.started_at)).sort((a, b) => a - b);
  times.forEach((one, n) => {
    if (n && one - times[n - 1] > GAP) drawing.append(s("rect.gap", { x: x(times[n - 1]), y: 0, width: x(one) - x(times[n - 1]), height: base }));
  });
  months(first, last).forEach((one) => drawing.append(s("line.grid", { x1: x(one), x2: x(one), y1: 0, y2: base }), s("text", { x: x(one) + 4, y: high - 6 }, day(one))));
  macros.forEach((one, n) => {
    const [a, b] = [x(Date.parse(one.started_at)), x(Date.parse(one.last_event_at))];
    drawing.append(anchor(home("macro", one.key), one.name, s("rect.band", { x: a, y: 8 + n * 22, width: Math.max(4, b - a), height: 18, rx: 6 })),
      s("text", { x: Math.max(4, a + 6), y: 21 + n * 22 }, one.name.replace(/ – macro$/, "")));
  });
  lines.forEach((one, n) => {
    const [a, b] = [x(Date.parse(one.started_at)), x(Date.parse(one.last_source_at))];
    const top = base - (40 + (n % 6) * 26) * 1.33;
    drawing.append(anchor(home("storyline", one.key), one.name, s("path.arc", { d: `M${a} ${base}C${a} ${top} ${b} ${top} ${b} ${base}` })),
      b - a > 60 && s("text", { x: (a + b) / 2, y: base - (base - top) * 0.75 - 5, "text-anchor": "middle" }, one.name.replace(/ – storyline.*$/, "")));
  });
  drawing.append(s("line.grid", { x1: 0, x2: wide, y1: base, y2: base }));
  for (const [date, list] of days) {
    const middle = x(Date.parse(`${date}T12:00:00Z`));
    if (middle < -5 || middle > wide + 5) continue;
    if (list.length > 1) drawing.append(s("rect.burst", { x: middle - 7, y: base + 5, width: 14, rx: 7, height: 7 + Math.min(5, list.length) * 11, opacity: Math.min(1, 0.25 + list.length / 12) },
      s("title", `${count(list.length, "source")}, ${day(date)}`)));
    list.slice(0, 5).forEach((one, n) => drawing.append(anchor(home("source", one.key), `${one.title || one.summary}, ${day(one.started_at)}`,
      s("circle.dot", { cx: middle, cy: base + 14 + n * 11, r: 4.5 }))));
  }
  return drawing;
}

const anchor = (href, name, shape) => s("a", { href, "aria-label": name }, shape, s("title", name));

function months(first, last) {
  const step = last - first > 800 * DAY ? 6 : last - first > 240 * DAY ? 2 : 1;
  const found = [];
  if (last - first < 45 * DAY) {
    for (let one = Math.ceil(first / DAY) * DAY; one < last; one += 7 * DAY) found.push(one);
    return found.filter((_, n) => n % Math.ceil(found.length / (room(1040) / 110)) === 0);
  }
  const date = new Date(first);
  for (let one = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)); one < last; one = new Date(Date.UTC(one.getUTCFullYear(), one.getUTCMonth() + step))) found.push(+one);
  return found;
}
