// Forces pull nodes into place, in a thread of their own: whoever looks is not kept waiting.

importScripts(...["d3-dispatch", "d3-quadtree", "d3-timer", "d3-force"].map((name) => `/web/vendor/${name}.min.js`));

const EVERY = 30; // milliseconds between two pictures

onmessage = ({ data: { count, links, rounds, whole } }) => {
  const nodes = Array.from({ length: count }, () => ({}));
  const forces = d3.forceSimulation(nodes).stop()
    .force("link", d3.forceLink(links.map(([source, target]) => ({ source, target }))).distance(34).strength(0.35))
    .force("apart", d3.forceManyBody().strength(-60).distanceMax(350).theta(1.1))
    .force("x", d3.forceX().strength(0.06)).force("y", d3.forceY().strength(0.06));
  let told = -EVERY;
  for (let left = rounds - 1; left >= 0; left -= 1) {
    forces.tick();
    if (left && (whole || performance.now() - told < EVERY)) continue;
    told = performance.now();
    const at = Float32Array.from(nodes.flatMap(({ x, y }) => [x, y]));
    postMessage({ at, left }, [at.buffer]);
  }
};
