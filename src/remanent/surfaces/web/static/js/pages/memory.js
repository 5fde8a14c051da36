// Any other memory: it opens on the page of its kind, or shows itself plainly.

import { get } from "../api.js";
import { badge, h, home } from "../dom.js";
import { presence } from "../pieces.js";

export async function render({ key, signal, again }) {
  const { kind, page } = await get(`/v1/memories/${encodeURIComponent(key)}`, {}, signal);
  const better = home(kind, page.node.key);
  if (!better.startsWith("#/memory")) { location.replace(better); return h("p.quiet", "One moment…"); }
  return [h("h1", page.node.name ?? page.node.text ?? page.node.event_type ?? "A memory"), h("p", badge(kind)),
    presence(page.node.key, page.node.life, again), h("pre", JSON.stringify(page.node, null, 2))];
}
