// All sources, newest first.

import { get } from "../api.js";
import { button, day, h, weekday } from "../dom.js";
import { beginnings, sourceRow } from "../pieces.js";

export const title = "Sources";

export async function render({ signal, again }) {
  const list = h("div");
  let after = "";
  let last = "";
  const more = button("Show more", next, { quiet: true });

  async function next() {
    const page = await get("/v1/sources", { limit: 50, after, include_archived: true }, signal);
    for (const one of page.items) {
      if (day(one.started_at) !== last) list.append(h("h3", weekday(one.started_at)), h("ul.plain"));
      last = day(one.started_at);
      list.lastChild.append(sourceRow(one));
    }
    after = page.next;
    more.hidden = !after;
    return page.items.length;
  }

  return await next() ? [h("h1", "Sources"), h("section", list), more] : [h("h1", "Sources"), beginnings(again)];
}
