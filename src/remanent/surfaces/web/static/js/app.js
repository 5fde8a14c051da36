// The shell: who is signed in, where we are, what is shown.

import { can, get, remove, session, signIn, tends } from "./api.js";
import { at, button, choices, empty, field, h, icon, link, toast, useZone } from "./dom.js";

const PAGES = {
  "": ["home", "Home"],
  search: ["search", "Search"],
  beliefs: ["beliefs", "Beliefs"],
  people: ["people", "People and things"],
  graph: ["graph", "Graph"],
  timeline: ["timeline", "Timeline"],
  sources: ["sources", "Sources"],
  import: ["import", "Import"],
  jobs: ["jobs", "Jobs"],
  teams: ["teams", "Teams"],
  keys: ["keys", "Keys"],
  spending: ["spending", "Spending"],
  audit: ["audit", "Audit"],
};
const HIDDEN = {
  source: "source", belief: "belief", anchor: "anchor", story: "story", memory: "memory", curve: "curve",
};

const $ = (id) => document.getElementById(id);
let leaving = new AbortController();

function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, key = ""] = path.split("/");
  return { page, key: decodeURIComponent(key), query: new URLSearchParams(query) };
}

/** Show the page of the address. A newer one ends what an older one still asks for. */
async function show() {
  if (location.hash === "#main") return;
  const { page, key, query } = place();
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const name = PAGES[page]?.[0] ?? HIDDEN[page];
  const view = h("div.page", h("p.quiet.loading", "One moment…"));
  $("main").replaceChildren(view);
  for (const one of $("nav").querySelectorAll("a")) {
    one.toggleAttribute("aria-current", false);
    if (one.hash !== at(page)) continue;
    one.setAttribute("aria-current", "page");
    one.scrollIntoView({ inline: "center", block: "nearest" });
  }
  $("top").querySelector("[type=search]").value = page === "search" ? query.get("q") ?? "" : "";
  try {
    if (!name) throw new Error("There is no such page.");
    const { render, title } = await import(`./pages/${name}.js`);
    document.title = `${title ?? PAGES[page]?.[1] ?? "Memory"} – Remanent`;
    const content = await render({ key, query, signal, again: show, title: (text) => { document.title = `${text} – Remanent`; } });
    if (!signal.aborted) view.replaceChildren(...[content].flat());
  } catch (problem) {
    if (signal.aborted || problem.name === "AbortError") return;
    view.replaceChildren(empty(problem.title ?? "That did not work", h("p", problem.message),
      h("p", link(at(""), "Back to the beginning"))));
  }
  if (!signal.aborted) window.dispatchEvent(new Event("page-shown"));
}

function frame() {
  const search = h("input", {
    type: "search", placeholder: "Search this memory", "aria-label": "Search this memory", "aria-keyshortcuts": "/",
    oninput: (event) => {
      const { page, query } = place();
      const asked = Object.fromEntries(page === "search" ? query : []);
      const next = at("search", "", { ...asked, q: event.target.value });
      if (page !== "search") { location.hash = next; return; }
      history.replaceState(null, "", next);
      window.dispatchEvent(new CustomEvent("typed", { detail: event.target.value }));
    },
  });
  $("top").replaceChildren(
    h("a.brand", { href: at("") }, h("img", { src: "/web/icon.svg", alt: "", width: 26, height: 26 }), "Remanent"),
    h("div.search", { role: "search" }, icon("search"), search, h("kbd", { "aria-hidden": "true" }, "/")),
    h("div.who", { id: "who" }));
  $("nav").replaceChildren(h("ul", Object.entries(PAGES).map(([path, [name, title]]) =>
    h(`li${path === "import" ? ".break" : ""}`, h("a", { href: at(path) }, icon(name), h("span", title))))));
}

async function who() {
  const [status, { items: teams }] = await Promise.all([get("/v1/status"), get("/v1/teams")]);
  session.status = status;
  useZone(status.timezone, status.now);
  const context = choices(
    [["", "Personal and all teams"], ...teams.map((one) => [one.team.team_id, `Personal and ${one.team.name}`])],
    session.team ?? "", (team) => { session.team = team || null; remember(); show(); }, "Whose things to see");
  const out = session.dev ? h("span.quiet", "no key needed") : button("Sign out", signOut, { quiet: true });
  $("who").replaceChildren(teams.length && !session.bound ? context : "", h("span.name", session.status.name || session.status.user_id), out);
}

const remember = () => {
  sessionStorage.setItem("remanent", JSON.stringify({ user: session.chosen ? session.user : null, team: session.team }));
};

async function signOut() {
  await remove("/session");
  sessionStorage.removeItem("remanent");
  location.reload();
}

function signInPage(problem) {
  document.body.classList.add("signed-out");
  document.title = "Sign in – Remanent";
  const key = h("input", { type: "password", autocomplete: "off", required: true, spellcheck: "false" });
  const user = h("input", { autocomplete: "off" });
  const form = h("form.card.narrow", {
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        const signed = await signIn(key.value.trim());
        key.value = "";
        await enter(signed, user.value.trim());
      } catch (wrong) {
        told.textContent = wrong.message;
      }
    },
  });
  const told = h("p.bad", { role: "alert" }, problem ?? "");
  form.append(
    h("h1", "Sign in"),
    h("p", "This memory opens with a key. Make one where it runs:"),
    h("pre", "remanent key create web --user YOU"),
    field("Key", key),
    h("details", h("summary", "With the key of a service"), field("Whose memory", user)),
    told,
    h("button.button", { type: "submit" }, "Sign in"),
    h("p.quiet", "The key stays with the server. Your browser gets a session of twelve hours that no script can read."));
  $("main").replaceChildren(h("div.page", form));
  key.focus();
}

/** Whose memory, where neither key nor server says so. */
async function chooseUser() {
  const users = (await get("/v1/users")).items;
  if (users.length === 1) return users[0].user_id;
  document.body.classList.add("signed-out");
  return new Promise((resolve) => {
    const name = h("input", { required: true, "aria-label": "A new user id" });
    $("main").replaceChildren(h("div.page", h("div.card.narrow",
      h("h1", "Whose memory?"),
      users.map((one) => h("p", button(one.name || one.user_id, () => resolve(one.user_id)))),
      h("form.row.low", {
        onsubmit: async (event) => {
          event.preventDefault();
          const { post } = await import("./api.js");
          await post("/v1/users", { user_id: name.value.trim(), timezone: Intl.DateTimeFormat().resolvedOptions().timeZone })
            .then((made) => resolve(made.user_id), (problem) => toast(problem.message, true));
        },
      }, field("A new one", name), h("button.button", { type: "submit" }, "Begin")))));
  });
}

async function enter(signed, named = "") {
  const before = JSON.parse(sessionStorage.getItem("remanent") ?? "{}");
  Object.assign(session, {
    powers: signed.powers, dev: signed.dev, service: !signed.dev && !signed.user_id, bound: signed.team,
    user: signed.user_id, team: signed.team ?? before.team ?? null, chosen: false,
  });
  if (!session.user) {
    session.chosen = true;
    session.user = named || before.user || (tends() && can("manage") ? await chooseUser() : null);
    if (!session.user) throw new Error("This is the key of a service: say whose memory it is about.");
  }
  remember();
  await who();
  document.body.classList.remove("signed-out");
  await show();
}

window.addEventListener("hashchange", show);
window.addEventListener("signed-out", () => signInPage("The session has ended: sign in again."));
window.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, dialog");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    $("top").querySelector("[type=search]")?.focus();
  }
});

frame();
try {
  const signed = await get("/session");
  if (signed.signed_in) await enter(signed);
  else signInPage();
} catch (problem) {
  signInPage(problem.message);
}
