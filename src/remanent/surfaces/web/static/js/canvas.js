// A graph on a canvas: drawn in few strokes, so that thousands of nodes stay smooth without a graphics card.

const REACH = 14; // pixels around a node that still hit it
const MANY = 400; // nodes, from which on names wait until all stands still
const STILL = 160; // milliseconds

/** Pan, zoom and draw. `look(node)` and `line(edge)` say how, or null for what is not to be seen. */
export class Drawing {
  constructor(place, { nodes, edges, look, line, chosen, colours }) {
    Object.assign(this, { place, nodes, edges, look, line, chosen, colours, scale: 1, x: 0, y: 0, frames: 0, many: nodes.length > MANY });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.pen = this.canvas.getContext("2d");
    place.append(this.canvas);
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(place);
    this.listen();
  }

  /** Let forces pull the nodes into place: few are shown when they are there, many as they go. */
  settle(links, rounds) {
    const numbers = new Map(this.nodes.map((one, n) => [one.key, n]));
    this.worker = new Worker("/web/js/layout.js");
    return new Promise((resolve, reject) => {
      this.worker.addEventListener("error", () => reject(new Error("The graph could not be laid out.")));
      this.worker.addEventListener("message", ({ data: { at, left } }) => {
        this.nodes.forEach((one, n) => { one.x = at[2 * n]; one.y = at[2 * n + 1]; });
        this.settled = left === 0;
        this.placed = true;
        if (!this.moved) this.frameAll();
        this.refresh();
        resolve();
      });
      this.worker.postMessage({ count: this.nodes.length, links: links.map((one) => [numbers.get(one.src), numbers.get(one.dst)]), rounds, whole: !this.many });
    });
  }

  fit() {
    const { clientWidth: wide, clientHeight: high } = this.place;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    Object.assign(this, { wide, high, ratio });
    Object.assign(this.canvas, { width: wide * ratio, height: high * ratio });
    this.canvas.style.width = `${wide}px`;
    this.canvas.style.height = `${high}px`;
    if (!this.moved) this.frameAll();
    this.refresh();
  }

  /** Bring all nodes into view. */
  frameAll() {
    if (!this.placed) return;
    const [xs, ys] = [this.nodes.map((one) => one.x), this.nodes.map((one) => one.y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    this.scale = Math.min(2.4, (this.wide - 120) / (right - left || 1), (this.high - 70) / (bottom - top || 1));
    this.x = this.wide / 2 - 20 - ((left + right) / 2) * this.scale;
    this.y = this.high / 2 - ((top + bottom) / 2) * this.scale;
  }

  /** Ask for a frame; asked twice, one is drawn. */
  refresh() {
    this.waiting ??= requestAnimationFrame(() => { this.waiting = null; this.draw(); });
  }

  draw() {
    const { pen, scale, x, y } = this;
    if (!this.placed) return;
    this.frames += 1;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.wide, this.high);
    this.drawEdges(pen, scale, x, y);
    const labels = this.drawNodes(pen, scale, x, y);
    if (!this.many || (this.settled && performance.now() - (this.stirred ?? 0) > STILL)) { this.drawLabels(pen, labels); return; }
    clearTimeout(this.later);
    this.later = setTimeout(() => this.refresh(), STILL + 20);
  }

  /** Somebody moves the picture: it is no longer framed by itself. */
  stir() {
    this.moved = true;
    this.stirred = performance.now();
    this.refresh();
  }

  /** All edges of one look are one stroke. */
  drawEdges(pen, scale, x, y) {
    const strokes = new Map();
    for (const edge of this.edges) {
      const style = this.line(edge);
      if (!style) continue;
      if (!strokes.has(style)) strokes.set(style, []);
      strokes.get(style).push(edge);
    }
    for (const [style, edges] of strokes) {
      pen.beginPath();
      pen.strokeStyle = style.colour;
      pen.lineWidth = style.width;
      for (const { source: a, target: b } of edges) {
        const [ax, ay, bx, by] = [a.x * scale + x, a.y * scale + y, b.x * scale + x, b.y * scale + y];
        if (Math.max(ax, bx) < 0 || Math.max(ay, by) < 0 || Math.min(ax, bx) > this.wide || Math.min(ay, by) > this.high) continue;
        pen.moveTo(ax, ay);
        pen.lineTo(bx, by);
      }
      pen.stroke();
    }
  }

  drawNodes(pen, scale, x, y) {
    const fills = new Map();
    const labels = [];
    const size = Math.min(1.4, Math.max(0.45, Math.sqrt(scale)));
    for (const node of this.nodes) {
      const style = this.look(node);
      node.shown = style ? { x: node.x * scale + x, y: node.y * scale + y, r: style.size * size } : null;
      if (!style || node.shown.x < -20 || node.shown.y < -20 || node.shown.x > this.wide + 20 || node.shown.y > this.high + 20) continue;
      if (!fills.has(style.colour)) fills.set(style.colour, []);
      fills.get(style.colour).push(node.shown);
      if (style.label) labels.push([style.weight, node]);
    }
    for (const [colour, circles] of fills) {
      pen.beginPath();
      pen.fillStyle = colour;
      for (const one of circles) { pen.moveTo(one.x + one.r, one.y); pen.arc(one.x, one.y, one.r, 0, 6.284); }
      pen.fill();
    }
    return labels.sort((a, b) => b[0] - a[0]);
  }

  /** The weightiest names, beside, below or above their node, as far as they lie over nothing else. */
  drawLabels(pen, labels) {
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const first = labels.slice(0, 160);
    const taken = first.map(([, { shown: { x, y, r } }]) => [x - r, y - r, x + r, y + r]);
    const free = (box) => box[0] > 2 && box[2] < this.wide - 2 && box[1] > 0 && box[3] < this.high && !taken.some((one) => box[0] < one[2] && one[0] < box[2] && box[1] < one[3] && one[1] < box[3]);
    for (const [, { name, shown: { x, y, r } }] of first) {
      const text = name.length > 28 ? `${name.slice(0, 27)}…` : name;
      const long = pen.measureText(text).width;
      const box = [[x + r + 4, y], [x - r - 4 - long, y], [x - long / 2, y + r + 11], [x - long / 2, y - r - 11]]
        .map(([left, middle]) => [left, middle - 8, left + long, middle + 8]).find(free);
      if (!box) continue;
      taken.push(box);
      pen.lineWidth = 3;
      pen.strokeStyle = this.colours.card;
      pen.strokeText(text, box[0], box[1] + 8);
      pen.fillStyle = this.colours.ink;
      pen.fillText(text, box[0], box[1] + 8);
      if (taken.length > first.length + 70) return;
    }
  }

  zoom(by, x = this.wide / 2, y = this.high / 2) {
    const scale = Math.max(0.05, Math.min(8, this.scale * by));
    this.x = x - ((x - this.x) / this.scale) * scale;
    this.y = y - ((y - this.y) / this.scale) * scale;
    this.scale = scale;
    this.stir();
  }

  listen() {
    const held = new Map();
    let travelled = 0;
    const at = (event) => ({ x: event.offsetX, y: event.offsetY });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, at(event));
      travelled = 0;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
      travelled += Math.hypot(now.x - before.x, now.y - before.y);
      if (other) this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / (Math.hypot(before.x - other.x, before.y - other.y) || 1), (now.x + other.x) / 2, (now.y + other.y) / 2);
      else { this.x += now.x - before.x; this.y += now.y - before.y; this.stir(); }
      held.set(event.pointerId, now);
    });
    const end = (event) => {
      if (held.delete(event.pointerId) && event.type === "pointerup" && travelled < 5) this.chosen(this.under(at(event)));
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    }, { passive: false });
  }

  /** The node nearest to a point, if it is near. */
  under({ x, y }) {
    let best = null;
    let least = REACH;
    for (const node of this.nodes) {
      if (!node.shown) continue;
      const away = Math.hypot(node.shown.x - x, node.shown.y - y) - node.shown.r;
      if (away < least) [best, least] = [node, away];
    }
    return best;
  }

  end() {
    this.worker?.terminate();
    clearTimeout(this.later);
    this.watch.disconnect();
    this.canvas.remove();
  }
}
