// Colors. The first twelve, CLASS_COLORS, are those of the plots, which color-blind people can tell apart; Python
// writes them at the head of the script. Those after them are spaced by the golden angle in OKLCH, so that any number of
// them differ and none changes when more are asked for.

const GOLDEN_ANGLE = 137.50776405;

/** @typedef {"light" | "dark"} Look */

/** Ground and ink of the picture in both looks; the page's own colors are in its style sheet. */
export const LOOKS = {
  light: {
    ground: "#fbfbfc", disk: "#ffffff", rim: "#d5d9df", trunk: "#9aa3af", ink: "#1c2430", accent: "#c2185b", still: "#eceef1",
  },
  dark: {
    ground: "#12161c", disk: "#171c24", rim: "#323b48", trunk: "#66707e", ink: "#e6eaf0", accent: "#ff6fae", still: "#222a34",
  },
};

/** The ends of a heat map's colors: blue and orange, which people who see no red or no green can tell apart. */
const HEAT_ENDS = { light: ["#0b5fa8", "#c8500a"], dark: ["#4fa3ee", "#f08a3c"] };

/**
 * "#rrggbb" as a number 0xAABBGGRR, which WebGL reads as four bytes of red, green, blue and alpha.
 * @param {string} hex
 */
export function packHex(hex) {
  const value = parseInt(hex.slice(1), 16);
  return packBytes(value >> 16, (value >> 8) & 255, value & 255);
}

/** @param {number} red @param {number} green @param {number} blue */
function packBytes(red, green, blue) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** @param {number} packed */
export function toHex(packed) {
  /** @param {number} shift */
  const digits = (shift) => ((packed >>> shift) & 255).toString(16).padStart(2, "0");
  return `#${digits(0)}${digits(8)}${digits(16)}`;
}

/**
 * Lightness 0 .. 1, chroma and hue in degrees, to a packed color; what sRGB lacks is clipped.
 * @param {number} lightness @param {number} chroma @param {number} hue
 */
function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return packBytes(
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  );
}

/**
 * Linear light to a byte of sRGB.
 * @param {number} linear
 */
function gamma(linear) {
  const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(255 * Math.min(Math.max(value || 0, 0), 1));
}

/**
 * Color number `index` on light or dark ground; gray for -1.
 * @param {number} index @param {Look} look
 */
export function paletteColor(index, look) {
  if (index < 0) return packHex(LOOKS[look].trunk);
  const named = CLASS_COLORS[look];
  if (index < named.length) return packHex(named[index]);
  const turn = index - named.length;
  const lightness = (look === "dark" ? 0.74 : 0.56) + 0.08 * ((turn % 3) - 1);
  return oklch(lightness, 0.13, 20 + GOLDEN_ANGLE * turn);
}

/**
 * A color between dark blue and yellow, for values from 0 to 1.
 * @param {number} value @param {Look} look
 */
export function rampColor(value, look) {
  const [from, to] = look === "dark" ? [0.5, 0.9] : [0.32, 0.76];
  return oklch(from + (to - from) * value, 0.1 + 0.03 * Math.sin(Math.PI * value), 275 - 185 * value);
}

const HEAT_REACH = 2; // Deviations at which the colors of a heat map end.

/**
 * Blue for standardized values below 0, orange for those above, the color of the ground between.
 * @param {number} value @param {Look} look
 */
export function heatColor(value, look) {
  const share = Math.min(Math.abs(value) / HEAT_REACH, 1);
  const end = HEAT_ENDS[look][value < 0 ? 0 : 1];
  return mixColors(packHex(LOOKS[look].still), packHex(end), share);
}

/**
 * A packed color, a share of the way towards another.
 * @param {number} first @param {number} second @param {number} share
 */
export function mixColors(first, second, share) {
  /** @param {number} shift */
  const part = (shift) => Math.round(((first >>> shift) & 255) * (1 - share) + ((second >>> shift) & 255) * share);
  return packBytes(part(0), part(8), part(16));
}
