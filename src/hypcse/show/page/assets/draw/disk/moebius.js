// Moebius maps of the unit disk onto itself, z -> (a z + b) / (conj(b) z + conj(a)) with |a|^2 - |b|^2 = 1. They are
// the motions of the hyperbolic plane: panning is one of them.

/** @typedef {{ ar: number, ai: number, br: number, bi: number }} Moebius The real and imaginary parts of a and b. */
/** @typedef {[x: number, y: number]} Point */

export const IDENTITY = Object.freeze({ ar: 1, ai: 0, br: 0, bi: 0 });

/**
 * The map with its numbers brought back to |a|^2 - |b|^2 = 1, from which rounding leads away.
 * @param {Moebius} map
 */
function normalized({ ar, ai, br, bi }) {
  const scale = 1 / Math.sqrt(Math.max(ar * ar + ai * ai - br * br - bi * bi, 1e-300));
  return { ar: ar * scale, ai: ai * scale, br: br * scale, bi: bi * scale };
}

/**
 * First `inner`, then `outer`.
 * @param {Moebius} outer @param {Moebius} inner
 */
export function compose(outer, inner) {
  return normalized({
    ar: outer.ar * inner.ar - outer.ai * inner.ai + outer.br * inner.br + outer.bi * inner.bi,
    ai: outer.ar * inner.ai + outer.ai * inner.ar + outer.bi * inner.br - outer.br * inner.bi,
    br: outer.ar * inner.br - outer.ai * inner.bi + outer.br * inner.ar + outer.bi * inner.ai,
    bi: outer.ar * inner.bi + outer.ai * inner.br + outer.bi * inner.ar - outer.br * inner.ai,
  });
}

/** @param {Moebius} map */
export function inverse({ ar, ai, br, bi }) {
  return { ar, ai: -ai, br: -br, bi: -bi };
}

/**
 * The image [x, y] of a point of the disk.
 * @param {Moebius} map @param {number} x @param {number} y
 */
export function transform(map, x, y) {
  const topX = map.ar * x - map.ai * y + map.br;
  const topY = map.ar * y + map.ai * x + map.bi;
  const lowX = map.br * x + map.bi * y + map.ar;
  const lowY = map.br * y - map.bi * x - map.ai;
  const square = lowX * lowX + lowY * lowY;
  return [(topX * lowX + topY * lowY) / square, (topY * lowX - topX * lowY) / square];
}

/**
 * The images of many points, written to `outX` and `outY`.
 * @param {Moebius} map @param {Float64Array} x @param {Float64Array} y @param {Float64Array} outX
 * @param {Float64Array} outY
 */
export function transformAll(map, x, y, outX, outY) {
  const { ar, ai, br, bi } = map;
  for (let k = 0; k < x.length; k++) {
    const topX = ar * x[k] - ai * y[k] + br;
    const topY = ar * y[k] + ai * x[k] + bi;
    const lowX = br * x[k] + bi * y[k] + ar;
    const lowY = br * y[k] - bi * x[k] - ai;
    const scale = 1 / (lowX * lowX + lowY * lowY);
    outX[k] = (topX * lowX + topY * lowY) * scale;
    outY[k] = (topY * lowX - topX * lowY) * scale;
  }
}

/**
 * The translation that sends the center to (x, y).
 * @param {number} x @param {number} y
 */
export function translation(x, y) {
  return normalized({ ar: 1, ai: 0, br: x, bi: y });
}

/**
 * The translation, without turning at the center, that sends one point to another: of z -> (z + b) / (1 + conj(b) z)
 * the one with b = (d + c conj(d)) / (1 - |c|^2), where d = to - from and c = from * to.
 * @param {Point} from @param {Point} to
 */
export function translationBetween([fromX, fromY], [toX, toY]) {
  const dx = toX - fromX;
  const dy = toY - fromY;
  const cx = fromX * toX - fromY * toY;
  const cy = fromX * toY + fromY * toX;
  const scale = 1 / (1 - cx * cx - cy * cy);
  return translation((dx + cx * dx + cy * dy) * scale, (dy + cy * dx - cx * dy) * scale);
}

/**
 * The translation that moves a point towards the center by a hyperbolic distance, no farther than to it.
 * @param {number} x @param {number} y @param {number} distance
 */
export function towardsCenter(x, y, distance) {
  const norm = Math.min(Math.hypot(x, y), 1 - 1e-15);
  if (norm < 1e-12) return IDENTITY;
  const step = Math.tanh(Math.min(distance, 2 * Math.atanh(norm)) / 2) / norm;
  return translation(-x * step, -y * step);
}

/**
 * Hyperbolic distance of a point from the center.
 * @param {number} x @param {number} y
 */
export function radiusOf(x, y) {
  return 2 * Math.atanh(Math.min(Math.hypot(x, y), 1 - 1e-15));
}

/**
 * Half the angle, with its sign, by which the geodesic from p to q turns: it is an arc of a circle that leaves p in the
 * direction of (q - p) / (1 - conj(p) q), which differs from that of its chord by -arg(1 - conj(p) q).
 * @param {number} px @param {number} py @param {number} qx @param {number} qy
 */
export function halfTurn(px, py, qx, qy) {
  return Math.atan2(py * qx - px * qy, 1 - px * qx - py * qy);
}

/**
 * The point a share `t` of the way along the geodesic from p to q, evenly by length on the screen.
 * @param {number} px @param {number} py @param {number} qx @param {number} qy @param {number} half @param {number} t
 */
export function arcPoint(px, py, qx, qy, half, t) {
  const share = Math.abs(half) < 1e-6 ? t : Math.sin(t * half) / Math.sin(half);
  const cosine = share * Math.cos((t - 1) * half);
  const sine = share * Math.sin((t - 1) * half);
  return [px + (qx - px) * cosine - (qy - py) * sine, py + (qx - px) * sine + (qy - py) * cosine];
}

export const MOST_PIECES = 40;

/**
 * Straight pieces that stay within `tolerance` pixels of an arc whose chord is so many pixels long.
 * @param {number} length @param {number} half @param {number} tolerance
 */
export function arcPieces(length, half, tolerance) {
  const pieces = Math.ceil(Math.sqrt((length * Math.abs(half)) / (4 * tolerance)));
  return Math.min(Math.max(pieces, 1), MOST_PIECES);
}
