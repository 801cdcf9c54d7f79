// Reading the data of the page: base64 to typed arrays.

/** @typedef {{ kind: keyof typeof ARRAY_KINDS, data: string }} Packed A typed array as Python's `pack` writes it. */
/** @typedef {Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array} Numbers */

/**
 * The data of a page as Python's `page_contents` gives them.
 * @typedef {object} RawPage
 * @property {string} title
 * @property {Packed} parent
 * @property {Packed} height Of internal nodes; leaves have height 0.
 * @property {string} heightTitle
 * @property {string | null} unit What heights measure, as `Tree.unit` of Python says.
 * @property {number | null} joinedFrom The height from which on distances joined nodes; null where there is none.
 * @property {{ inner: Packed, title: string, note: string } | null} distance
 * @property {boolean} byDistance
 * @property {Packed} angle
 * @property {Packed} radius In units of radiusMax / 65535.
 * @property {number} radiusMax
 * @property {string[] | null} names
 * @property {number | null} clusters
 * @property {Packed | null} automatic Null where it is the main level.
 * @property {boolean} outliers Whether the last of its labels is that of outliers.
 * @property {string} automaticRule
 * @property {RawLevels | null} levels
 * @property {string} stabilityNote Why the levels have no stability; empty where there is nothing to say.
 * @property {Structure | null} structure
 * @property {{ codes: Packed, names: string[] } | null} classes
 * @property {Packed | null} entropy
 * @property {Packed | null} degrees
 * @property {RawTable | null} table
 * @property {[number, string][]} nodeNames Of inner nodes, those that were given.
 * @property {{ title: string, codes: Packed, names: string[] }[]} compared Other labels of the leaves.
 * @property {{ x: Packed, y: Packed, titles: string[] } | null} scatter Places of the leaves, in steps of 1 / 65535.
 */
/** @typedef {{ finest: Packed, coarser: Packed[], stability: number[] | null, main: number | null }} RawLevels */
/** @typedef {{ text: string, found: boolean }} Structure What the data show beyond chance, in words. */
/**
 * What a table says of the largest nodes and of clusters.
 * @typedef {object} RawTable
 * @property {string[]} names
 * @property {Packed} mean
 * @property {Packed} deviation
 * @property {Packed} nodes
 * @property {{ texts: string[], column: Packed, here: Packed, others: Packed }} typical For each of the nodes as many
 *   columns with typical values, by the numbers of their texts; column 0 is none.
 * @property {string[] | null} said What columns say of the nodes; null where columns have no names.
 * @property {(string[] | null)[] | null} clusters Names of the clusters of each level, and last of the automatic cut.
 * @property {{ columns: Packed, rows: number, most: number, values: Packed }} heat
 */

/** @typedef {ReturnType<typeof readDocument>} Page What the page holds, unpacked. */
/**
 * Labels that came with the leaves: what they are called, a code for each leaf, and the names of the codes. A code beyond
 * the names is unknown. The id of the classes is "class".
 * @typedef {{ id: string, title: string, codes: Numbers, names: string[] }} Labeling
 */

const ARRAY_KINDS = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array,
};

/**
 * The typed array that Python packed as { kind, data }.
 * @param {Packed} packed @returns {Numbers}
 */
function unpack(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new ARRAY_KINDS[packed.kind](bytes.buffer);
}

/**
 * A packed array, or null where there is none.
 * @param {Packed | null} packed
 */
function unpackOptional(packed) {
  return packed ? unpack(packed) : null;
}

/**
 * All that the page holds, as plain objects and typed arrays.
 * @param {string} text
 */
export function readDocument(text) {
  /** @type {RawPage} */
  const raw = JSON.parse(text);
  const parent = unpack(raw.parent);
  return {
    title: raw.title,
    parent,
    innerHeight: unpack(raw.height),
    heightTitle: raw.heightTitle,
    unit: raw.unit,
    joinedFrom: raw.joinedFrom,
    distance: raw.distance && readDistance(raw.distance, parent.length),
    byDistance: raw.byDistance,
    angle: unpack(raw.angle),
    radius: Float64Array.from(unpack(raw.radius), (value) => (value / 65535) * raw.radiusMax),
    names: raw.names,
    clusters: raw.clusters,
    automatic: unpackOptional(raw.automatic),
    outliers: raw.outliers,
    automaticRule: raw.automaticRule,
    levels: raw.levels ? readLevels(raw.levels) : [],
    stability: raw.levels && raw.levels.stability,
    mainLevel: raw.levels && raw.levels.main,
    structure: raw.structure,
    labelings: readLabelings(raw),
    entropy: unpackOptional(raw.entropy),
    degrees: unpackOptional(raw.degrees),
    table: raw.table && readTable(raw.table),
    nodeNames: new Map(raw.nodeNames),
    stabilityNote: raw.stabilityNote,
    scatter: raw.scatter && { x: unpack(raw.scatter.x), y: unpack(raw.scatter.y), titles: raw.scatter.titles },
  };
}

/**
 * The classes of the leaves, where they are known, and then the labels to compare with.
 * @param {RawPage} raw @returns {Labeling[]}
 */
function readLabelings({ classes, compared }) {
  const others = compared.map((labels, k) => ({ id: `compare-${k}`, ...labels }));
  const known = classes ? [{ id: "class", title: "class", ...classes }, ...others] : others;
  return known.map(({ codes, ...rest }) => ({ ...rest, codes: unpack(codes) }));
}

/**
 * Distances between the parts that nodes join, one per node: 0 at leaves, which come first.
 * @param {NonNullable<RawPage["distance"]>} raw @param {number} nodeCount
 */
function readDistance(raw, nodeCount) {
  const inner = unpack(raw.inner);
  const ofNode = new Float64Array(nodeCount);
  ofNode.set(inner, nodeCount - inner.length);
  return { ofNode, title: raw.title, note: raw.note };
}

/**
 * Labels of the leaves at each level, coarse to fine: the finest are held, each other level by those next to it.
 * @param {RawLevels} raw
 */
function readLevels({ finest, coarser }) {
  /** @type {Numbers[]} */
  const levels = [unpack(finest)];
  for (let k = coarser.length - 1; k >= 0; k--) levels.unshift(coarserLabels(unpack(coarser[k]), levels[0]));
  return levels;
}

/**
 * Labels of the leaves, from one label for each cluster of the finer level, in the order of the labels there.
 * @param {Numbers} ofCluster @param {Numbers} finer
 */
function coarserLabels(ofCluster, finer) {
  const sorted = Array.from(new Set(finer)).sort((a, b) => a - b);
  const label = new Map(sorted.map((fine, k) => [fine, ofCluster[k]]));
  return Uint32Array.from(finer, (fine) => label.get(fine) ?? 0);
}

/** @param {RawTable} raw */
function readTable(raw) {
  const nodes = unpack(raw.nodes);
  /** @type {Map<number, number>} */
  const row = new Map();
  nodes.forEach((node, k) => row.set(node, k));
  const { texts, column, here, others } = raw.typical;
  return {
    names: raw.names, row, said: raw.said, clusters: raw.clusters,
    mean: unpack(raw.mean), deviation: unpack(raw.deviation),
    typical: { texts, column: unpack(column), here: unpack(here), others: unpack(others) },
    heat: readHeat(raw.heat),
  };
}

/**
 * values: standardized, `columns.length` of them in each of so many rows, which share the leaves evenly from the first to
 * the last as they stand in the tree.
 * @param {RawTable["heat"]} raw
 */
function readHeat({ columns, rows, most, values }) {
  const steps = Float32Array.from(unpack(values), (value) => ((value - 32767) / 32767) * most);
  return { columns: unpack(columns), rows, values: steps };
}
