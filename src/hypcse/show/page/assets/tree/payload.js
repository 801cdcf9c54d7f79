// Reading the data of the page: base64 to typed arrays.

const ARRAY_KINDS = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array,
};

/** The typed array that Python packed as { kind, data }. */
function unpack(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new ARRAY_KINDS[packed.kind](bytes.buffer);
}

/** A packed array, or null where there is none. */
function unpackOptional(packed) {
  return packed ? unpack(packed) : null;
}

/** All that the page holds, as plain objects and typed arrays. */
function readDocument(text) {
  const raw = JSON.parse(text);
  const parent = unpack(raw.parent);
  return {
    title: raw.title,
    parent,
    innerHeight: unpack(raw.height),
    heightTitle: raw.heightTitle,
    distance: raw.distance && readDistance(raw.distance, parent.length),
    byDistance: raw.byDistance,
    angle: unpack(raw.angle),
    radius: Float64Array.from(unpack(raw.radius), (value) => (value / 65535) * raw.radiusMax),
    names: raw.names,
    clusters: raw.clusters,
    automatic: unpackOptional(raw.automatic),
    automaticRule: raw.automaticRule,
    levels: raw.levels ? readLevels(raw.levels) : [],
    stability: raw.levels && raw.levels.stability,
    mainLevel: raw.levels && raw.levels.main,
    structure: raw.structure,
    classes: raw.classes && { codes: unpack(raw.classes.codes), names: raw.classes.names },
    entropy: unpackOptional(raw.entropy),
    degrees: unpackOptional(raw.degrees),
    table: raw.table && readTable(raw.table),
  };
}

/** Distances between the parts that nodes join, one a node: 0 at leaves, which come first. */
function readDistance(raw, nodeCount) {
  const inner = unpack(raw.inner);
  const ofNode = new Float64Array(nodeCount);
  ofNode.set(inner, nodeCount - inner.length);
  return { ofNode, title: raw.title, note: raw.note };
}

/** Labels of the leaves at each level, coarse to fine: the finest are held, each other level by those next to it. */
function readLevels({ finest, coarser }) {
  const levels = [unpack(finest)];
  for (let k = coarser.length - 1; k >= 0; k--) levels.unshift(coarserLabels(unpack(coarser[k]), levels[0]));
  return levels;
}

/** Labels of the leaves, from one label for each cluster of the finer level, in the order of the labels there. */
function coarserLabels(ofCluster, finer) {
  const sorted = Array.from(new Set(finer)).sort((a, b) => a - b);
  const label = new Map(sorted.map((fine, k) => [fine, ofCluster[k]]));
  return Uint32Array.from(finer, (fine) => label.get(fine));
}

function readTable(raw) {
  const nodes = unpack(raw.nodes);
  const row = new Map();
  nodes.forEach((node, k) => row.set(node, k));
  return {
    names: raw.names, told: raw.told, row,
    mean: unpack(raw.mean), deviation: unpack(raw.deviation),
    column: unpack(raw.column), shift: unpack(raw.shift), nodeMean: unpack(raw.nodeMean),
  };
}
