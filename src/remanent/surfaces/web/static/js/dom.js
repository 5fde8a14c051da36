// Elements, dates and small pieces that every page uses. Text reaches the page as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false && one !== ""));
  return element;
}

function split(args) {
  const [first, ...rest] = args;
  const plain = first && typeof first === "object" && !(first instanceof Node) && !Array.isArray(first);
  return plain ? [first, rest] : [{}, args];
}

/** An element: h("p.quiet", {title: "..."}, "text", child). */
export function h(name, ...args) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  const [attributes, children] = split(args);
  return fill(element, attributes, children);
}

/** The same for a drawing. */
export function s(name, ...args) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElementNS(SVG, tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  const [attributes, children] = split(args);
  return fill(element, attributes, children);
}

/** The address of a page of ours: at("source", key, {p: passage}). */
export function at(page, key = "", query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const asked = new URLSearchParams(kept).toString();
  return `#/${page}${key ? `/${encodeURIComponent(key)}` : ""}${asked ? `?${asked}` : ""}`;
}

const PAGES = {
  source: "source", passage: "source", belief: "belief", past_belief: "belief", person: "anchor",
  concept: "anchor", entity: "anchor", storyline: "story", macro: "story",
};

/** The address of a memory, by its kind. */
export const home = (kind, key, query) => at(PAGES[kind] ?? "memory", key, query);

export const link = (href, ...children) => h("a", { href }, ...children);

export const badge = (kind) => h(`span.badge.k-${/^[a-z_]+$/.test(kind) ? kind : "other"}`, kind.replaceAll("_", " "));

export function button(text, onclick, { quiet = false, danger = false, ...more } = {}) {
  const kind = danger ? ".danger" : quiet ? ".quiet" : "";
  return h(`button.button${kind}`, { type: "button", onclick: (event) => act(event.currentTarget, onclick), ...more }, text);
}

/** Run something that a button started; meanwhile it cannot be pressed again. */
export async function act(pressed, run) {
  pressed.disabled = true;
  try {
    await run();
  } catch (problem) {
    toast(problem.message, true);
  } finally {
    pressed.disabled = false;
  }
}

export function toast(text, bad = false) {
  const shown = h(`div.toast${bad ? ".bad" : ""}`, text);
  document.getElementById("toasts").append(shown);
  setTimeout(() => shown.remove(), bad ? 9000 : 4500);
}

/** A question with what it would take along; true when it was confirmed. */
export function ask(title, body, { yes = "Do it", danger = true } = {}) {
  return new Promise((resolve) => {
    const dialog = h("dialog.dialog", { "aria-label": title },
      h("h2", title), h("div.dialog-body", body),
      h("div.row.end",
        h("button.button.quiet", { type: "button", onclick: () => dialog.close("no") }, "Leave it"),
        h(`button.button${danger ? ".danger" : ""}`, { type: "button", onclick: () => dialog.close("yes") }, yes)));
    dialog.addEventListener("close", () => { resolve(dialog.returnValue === "yes"); dialog.remove(); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** One line of text that somebody types; null when they leave it. */
export function askText(title, { label, value = "", yes = "Save", long = false }) {
  const field = h(long ? "textarea" : "input", { value, "aria-label": label, rows: 4 });
  const given = ask(title, h("label.field", label, field), { yes, danger: false });
  return given.then((confirmed) => (confirmed ? field.value.trim() : null));
}

export function empty(title, ...body) {
  return h("div.empty", h("h2", title), ...body);
}

export function section(title, ...body) {
  return h("section", h("h2", title), ...body);
}

export function table(heads, rows) {
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": heads.join(", ") },
    h("table", h("thead", h("tr", heads.map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", rows.map((row) => h("tr", row.map((cell) => h("td", cell)))))));
}

/** A field with its label above it. */
export const field = (label, control) => h("label.field", h("span", label), control);

export function choices(values, chosen, onchange, label) {
  const control = h("select", { "aria-label": label, onchange: () => onchange(control.value) },
    values.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return control;
}

// -- dates -------------------------------------------------------------------------------------------

let zone;
let ahead = 0; // of this browser's clock, the memory's
export const useZone = (name, time) => { zone = name; ahead = new Date(time) - Date.now(); };
export const now = () => Date.now() + ahead;
const format = (options) => (moment) => moment
  ? new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }).format(new Date(moment)) : "";
export const day = format({ day: "numeric", month: "short", year: "numeric" });
export const weekday = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });
export const minute = format({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
export const clock = format({ hour: "2-digit", minute: "2-digit" });
export const when = (moment, how = day) => moment && h("time", { datetime: moment, title: minute(moment) }, how(moment));

export function ago(moment) {
  const seconds = (now() - new Date(moment)) / 1000;
  if (Math.abs(seconds) < 10) return "just now"; // the two clocks are not that much alike
  const steps = [[60, "second"], [60, "minute"], [24, "hour"], [7, "day"], [4.35, "week"], [12, "month"], [Infinity, "year"]];
  let number = Math.abs(seconds);
  for (const [size, name] of steps) {
    if (number < size) {
      const whole = Math.floor(number);
      const text = `${whole} ${name}${whole === 1 ? "" : "s"}`;
      return seconds < 0 ? `in ${text}` : `${text} ago`;
    }
    number /= size;
  }
  return "";
}

export const percent = (share) => `${Math.round(share * 100)} %`;
export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;

const ICONS = {
  home: "M4 11 12 4l8 7v9h-5v-6H9v6H4z",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20",
  beliefs: "M12 3a6 6 0 0 0-4 10.5V17h8v-3.5A6 6 0 0 0 12 3zM9 20h6",
  people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-4 3-6 6-6s6 2 6 6M16 4.5a3.2 3.2 0 0 1 0 6.3M18 14.4c2 .8 3 2.800 3 5.600",
  graph: "M6 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 21a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 5.500 16 7.500M6.500 7 8.500 17M16.500 9.500 10.500 17.500",
  timeline: "M3 18h18M6 18V9M11 18V5M16 18v-7M20 18v-3",
  sources: "M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7",
  import: "M12 3v11M8 10l4 4 4-4M4 17v4h16v-4",
  jobs: "M4 6h3M10 6h10M4 12h3M10 12h10M4 18h3M10 18h10",
  teams: "M8 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM16 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 20c0-3.500 3-5 6-5s6 1.500 6 5M15 15c3.500-.3 7 1 7 5",
  keys: "M8 16a4 4 0 1 1 3.500-6H21v4h-3v3h-4v-3h-2.500A4 4 0 0 1 8 16z",
  spending: "M12 3v18M16.500 7.500C15.500 6 14 5.500 12 5.500c-2.500 0-4 1.300-4 3.200 0 4.300 8.500 2.300 8.500 6.600 0 2-1.800 3.200-4.500 3.200-2.200 0-4-.7-5-2.300",
  audit: "M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6zM9 12l2 2 4-4",
};
export const icon = (name) => s("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
