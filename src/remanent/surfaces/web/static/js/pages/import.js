// Import by drag and drop, with what was learned as it is read; a memory's export as a file.

import { can, download, get, post, session, upload } from "../api.js";
import { at, button, choices, count, h, link, section } from "../dom.js";
import { loadDemo } from "../pieces.js";

export const title = "Import and export";
const FORMATS = [["", "told from the file"], ...["chatgpt", "claude", "mail", "slack", "transcripts", "markdown", "jsonl"].map((one) => [one, one])];
const LOOK = 2000;

export async function render({ signal }) {
  let format = "";
  const list = h("ul.plain");
  const take = async (files) => { for (const one of files) await takeIn(one, format, list, signal); };
  const picker = h("input.sr", { type: "file", multiple: true, id: "files", onchange: () => take(picker.files) });
  const place = h("div.drop", {
    ondragover: (event) => { event.preventDefault(); place.classList.add("over"); },
    ondragleave: () => place.classList.remove("over"),
    ondrop: (event) => { event.preventDefault(); place.classList.remove("over"); take(event.dataTransfer.files); },
  }, h("p", "Drop files here: exports of ChatGPT, Claude or Slack, a mailbox, transcripts, Markdown, JSON lines."),
  h("div.row.center", picker, h("label.button", { for: "files" }, "Choose files"), choices(FORMATS, "", (value) => { format = value; }, "What they are")));
  const told = h("p.quiet", { role: "status" });
  const user = session.status?.user_id ?? "memory";
  return [h("h1", title),
    can("write") ? place : h("p.quiet", "This key only reads."), list,
    h("div.two",
      section("Export", h("p", "All that is yours, as JSON lines that ", h("code", "remanent import-memory"), " takes in again."),
        h("div.row", button("Download the memory", () => download("/v1/export", `${user}.jsonl`)),
          button("Only the beliefs", () => download("/v1/beliefs/export", `${user}-beliefs.jsonl`), { quiet: true }))),
      can("write") && section("A life to look at", h("p", "Five weeks of Ada, eighteen conversations, mails and notes. They come into this memory, and can be erased again one by one."),
        button("Load the demo life", () => loadDemo((text) => { told.textContent = text; }), { quiet: true }), told))];
}

/** Take in one file, then tell what is known from it while it is read. */
async function takeIn(file, format, list, signal) {
  const bar = h("progress", { max: 1, "aria-label": `Reading ${file.name}` });
  const told = h("p.quiet", { role: "status" }, "Taking it in…");
  list.append(h("li", h("b", file.name), bar, told));
  const name = file.name.replace(/[^\w.\- ]/g, "_").replace(/^\W+/, "").slice(0, 100) || "upload.txt";
  try {
    const done = await upload("/v1/imports", file, { name, format });
    const brief = [count(done.added + done.grown + done.changed, "source"), " came in", done.known ? `, ${done.known} known already` : "",
      done.skipped.length ? `, ${done.skipped.length} skipped (${Object.keys(done.reasons).join("; ")})` : ""].join("");
    told.textContent = brief;
    await watch(done.sources, bar, told, brief, signal);
  } catch (problem) {
    bar.remove();
    told.className = "bad";
    told.textContent = problem.message;
  }
}

async function watch(sources, bar, told, brief, signal) {
  if (!sources.length) { bar.value = 1; return; }
  while (!signal.aborted) {
    const known = await post("/v1/imports/learned", { sources });
    bar.value = known.read / known.sources;
    told.textContent = `${brief}. ${known.read} of ${known.sources} read: ${count(known.people, "person", "people")}, ${count(known.beliefs, "belief")}, ${count(known.relationships, "relationship")}`;
    if (known.read === known.sources) return;
    const { jobs } = await get("/v1/status");
    if (jobs.parked && !jobs.ready && !jobs.running) { told.append(" · ", link(at("jobs"), "some could not be read")); return; }
    await new Promise((resolve) => { setTimeout(resolve, LOOK); });
  }
}
