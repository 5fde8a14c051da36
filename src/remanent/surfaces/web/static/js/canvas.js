// A graph on a canvas: drawn in few strokes, so that thousands of nodes stay smooth without a graphics card.

const REACH = 14; // pixels around a node that still hit it

/** Pan, zoom and draw. `look(node)` and `line(edge)` say how, or null for what is not to be seen. */
export class Drawing {
  constructor(place, { nodes, edges, look, line, chosen, colours }) {
    Object.assign(this, { place, nodes, edges, look, line, chosen, colours, scale: 1, x: 0, y: 0, frames: 0 });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.pen = this.canvas.getContext("2d");
    place.append(this.canvas);
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(place);
    this.listen();
  }

  /** Let forces pull the nodes into place: at once where they are few, else while one looks. */
  settle(links, rounds) {
    this.forces = d3.forceSimulation(this.nodes).stop()
      .force("link", d3.forceLink(links).id((one) => one.key).distance(34).strength(0.35))
      .force("apart", d3.forceManyBody().strength(-60).distanceMax(350).theta(1.1))
      .force("x", d3.forceX().strength(0.06)).force("y", d3.forceY().strength(0.06));
    const few = this.nodes.length <= 400;
    this.forces.tick(few ? rounds : 12);
    this.fit(true);
    if (few) return;
    let left = rounds;
    const step = () => {
      if (!this.canvas.isConnected || left-- <= 0) { this.settled = true; return; }
      this.forces.tick();
      if (!this.moved) this.frameAll();
      this.draw();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  fit(all = false) {
    const { clientWidth: wide, clientHeight: high } = this.place;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    Object.assign(this, { wide, high, ratio });
    Object.assign(this.canvas, { width: wide * ratio, height: high * ratio });
    this.canvas.style.width = `${wide}px`;
    this.canvas.style.height = `${high}px`;
    if (all || !this.moved) this.frameAll();
    this.draw();
  }

  /** Bring all nodes into view. */
  frameAll() {
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
    this.frames += 1;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.wide, this.high);
    this.drawEdges(pen, scale, x, y);
    const labels = this.drawNodes(pen, scale, x, y);
    this.drawLabels(pen, labels);
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
        pen.moveTo(a.x * scale + x, a.y * scale + y);
        pen.lineTo(b.x * scale + x, b.y * scale + y);
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

  /** The weightiest names, as far as they do not lie over each other. */
  drawLabels(pen, labels) {
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const taken = [];
    for (const [, { name, shown }] of labels.slice(0, 160)) {
      const text = name.length > 28 ? `${name.slice(0, 27)}…` : name;
      const box = [shown.x + shown.r + 4, shown.y - 8, shown.x + shown.r + 8 + text.length * 6.6, shown.y + 8];
      if (taken.some((one) => box[0] < one[2] && one[0] < box[2] && box[1] < one[3] && one[1] < box[3])) continue;
      taken.push(box);
      pen.lineWidth = 3;
      pen.strokeStyle = this.colours.card;
      pen.strokeText(text, box[0], shown.y);
      pen.fillStyle = this.colours.ink;
      pen.fillText(text, box[0], shown.y);
      if (taken.length > 70) return;
    }
  }

  zoom(by, x = this.wide / 2, y = this.high / 2) {
    const scale = Math.max(0.05, Math.min(8, this.scale * by));
    this.x = x - ((x - this.x) / this.scale) * scale;
    this.y = y - ((y - this.y) / this.scale) * scale;
    this.scale = scale;
    this.moved = true;
    this.refresh();
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
      else { this.x += now.x - before.x; this.y += now.y - before.y; this.moved = true; this.refresh(); }
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
    this.watch.disconnect();
    this.canvas.remove();
  }
}
