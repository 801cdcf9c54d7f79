// What Python writes at the head of the script; see palette.js.

/** The first colors of clusters and classes, "#rrggbb", on light and on dark ground. */
declare const CLASS_COLORS: Readonly<Record<"light" | "dark", readonly string[]>>;
