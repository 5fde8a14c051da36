// The HTTP API, as every other program sees it. The key is in a cookie that no script can read.

export const session = { user: null, team: null, powers: [], dev: false, status: null };

/** A refusal, in the API's own words. */
export class Problem extends Error {
  constructor(record, status) {
    super(record.detail || record.title || `The server answered ${status}.`);
    Object.assign(this, { status, title: record.title, field: record.field });
  }
}

const kept = (value) => value !== undefined && value !== null && value !== "" && value !== false;

export function address(path, query = {}) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (kept(one)) asked.append(name, one);
  }
  const text = asked.toString();
  return text ? `${path}?${text}` : path;
}

function headers(more) {
  const given = { "Remanent-Web": "1", ...more };
  if (session.user && session.chosen) given["Remanent-User"] = encode(session.user);
  if (session.team) given["Remanent-Team"] = encode(session.team);
  return given;
}

/** Headers carry bytes: a name in UTF-8 goes as it is, byte by byte. */
const encode = (text) => String.fromCharCode(...new TextEncoder().encode(text));

async function send(method, path, { body, type, query, signal, more } = {}) {
  const sent = body === undefined ? {} : { "Content-Type": type ?? "application/json" };
  const content = body === undefined ? undefined : type ? body : JSON.stringify(body);
  const options = { method, headers: headers({ ...sent, ...more }), body: content, signal, credentials: "same-origin" };
  const answer = await fetch(address(path, query), options).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "The server does not answer. Is `remanent serve` still running?" }, 0);
  });
  if (answer.ok) return answer;
  const record = await answer.json().catch(() => ({}));
  if (answer.status === 401 && path !== "/session") window.dispatchEvent(new Event("signed-out"));
  throw new Problem(record, answer.status);
}

const json = async (...asked) => (await send(...asked)).json();

export const get = (path, query, signal) => json("GET", path, { query, signal });
export const post = (path, body = {}, signal) => json("POST", path, { body, signal });
export const put = (path, body) => json("PUT", path, { body });
export const patch = (path, body) => json("PATCH", path, { body });
export const remove = (path, query) => json("DELETE", path, { query });
export const upload = (path, file, query) => json("POST", path, { body: file, type: "application/octet-stream", query });
export const signIn = (key) => json("POST", "/session", { more: { Authorization: `Bearer ${key}` } });

export const can = (power) => session.powers.includes(power);
/** Whether this key tends the memory as a whole, not one user's. */
export const tends = () => session.dev || session.service;

/** Keep an answer as a file of the browser's. */
export async function download(path, name) {
  const answer = await send("GET", path);
  const file = URL.createObjectURL(await answer.blob());
  const anchor = document.createElement("a");
  anchor.href = file;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(file), 10_000);
}

/** Events of something long, one by one: each is handed to `told`. */
export async function stream(method, path, { body, signal, told }) {
  const answer = await send(method, path, { body, signal, more: { Accept: "text/event-stream" } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (name === "problem") throw new Problem(JSON.parse(data), 0);
      if (name) told(name, JSON.parse(data));
    }
  }
}
