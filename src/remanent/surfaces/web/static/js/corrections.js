// What a person puts right by hand, in place: names, types, descriptions, notes, relationships; and taking it back.

import { can, post, remove } from "./api.js";
import { ask, askText, button, choices, field, h, section, toast, when } from "./dom.js";

const TIMES = [["forever", "for good"], ["year", "a year"], ["month", "a month"], ["week", "a week"]];

const correct = async (key, body, again) => {
  await post(`/v1/memories/${encodeURIComponent(key)}/correct`, body);
  toast("Put right. No inference overwrites it.");
  again();
};

/** One line of text for one field. */
function line(text, title, node, name, { value = "", long = false, again }) {
  return button(text, async () => {
    const given = await askText(title, { label: "From now on", value, long });
    if (given && given !== value) await correct(node.key, { field: name, value: given }, again);
  }, { quiet: true });
}

/** The buttons of an anchor. */
export function anchorTools(node, again) {
  return [
    line("Rename…", `What is ${node.name} called?`, node, "name", { value: node.name, again }),
    line("Other name…", `What else is ${node.name} called?`, node, "alias", { again }),
    "type" in node && line("Type…", `What is ${node.name}?`, node, "type", { value: node.type, again }),
    line("Describe…", `Who or what is ${node.name}?`, node, "description", { value: node.description, long: true, again }),
  ];
}

export function addNote(node, again) {
  return button("Add a note…", async () => {
    let lifetime = "forever";
    const text = h("textarea", { rows: 3, "aria-label": "The note" });
    const body = [field("The note", text), field("How long to keep it", choices(TIMES, lifetime, (value) => { lifetime = value; }, "How long to keep it"))];
    if (await ask(`A note on ${node.name}`, body, { yes: "Keep it", danger: false }) && text.value.trim()) {
      await correct(node.key, { field: "note", value: text.value.trim(), lifetime }, again);
    }
  }, { quiet: true });
}

/** Change or remove one note. */
export function noteTools(node, note, again) {
  const change = async () => {
    const value = await askText("Change this note", { label: "What it says from now on", value: note.content, long: true });
    if (value && value !== note.content) await correct(node.key, { field: "note", value, was: note.content }, again);
  };
  const drop = async () => {
    if (await ask("Remove this note?", h("p", note.content), { yes: "Remove it" })) await correct(node.key, { field: "note", was: note.content }, again);
  };
  return [button("Change…", change, { quiet: true }), button("Remove…", drop, { quiet: true })];
}

/** Say that a relationship has ended, or never was. */
export function relationTools(one, again) {
  const end = async () => {
    const date = h("input", { type: "date", "aria-label": "When it ended" });
    if (await ask("When did it end?", field("The day", date), { yes: "It ended then", danger: false }) && date.value) {
      await correct(one.key, { field: "until", value: `${date.value}T00:00:00Z` }, again);
    }
  };
  const deny = async () => {
    if (await ask("Was it never so?", h("p", one.description), { yes: "It never was" })) await correct(one.key, { field: "denied" }, again);
  };
  return [!one.valid_to && button("Ended…", end, { quiet: true }), button("Never so…", deny, { quiet: true })];
}

export function addRelation(node, again) {
  return button("Add a relation…", async () => {
    const [type, other] = [h("input", { "aria-label": "How they stand" }), h("input", { "aria-label": "To whom or what" })];
    const body = [field("How they stand, in a word", type), field("To whom or what: a name that is known", other)];
    if (await ask(`${node.name} and…`, body, { yes: "Say so", danger: false }) && type.value.trim() && other.value.trim()) {
      await post("/v1/relationships", { src: node.key, dst: other.value.trim(), type: type.value.trim() });
      toast("Put right.");
      again();
    }
  }, { quiet: true });
}

/** What was put right, each to be taken back. */
export function byHand(made, again) {
  const undo = (one) => can("write") && button("Take back", () => remove(`/v1/corrections/${encodeURIComponent(one.correction_id)}`).then(again), { quiet: true });
  const said = (value) => (typeof value === "string" || typeof value === "number" ? ` ${value}` : "");
  return made.length > 0 && section("Put right by hand", h("ul.plain", made.map((one) => h("li", h("b", one.field), said(one.value),
    h("p.quiet", one.name, " · ", when(one.at), " ", undo(one))))));
}
