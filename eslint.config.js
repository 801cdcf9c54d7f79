// Faults that ESLint finds in the page's JavaScript; types are checked by tsc, see tsconfig.json.
import js from "@eslint/js";

// What the page uses of the browser. A list, because browsers also have globals called name, top, length and status,
// which hide a forgotten declaration.
const BROWSER = [
  "Blob", "HTMLButtonElement", "HTMLCanvasElement", "HTMLDialogElement", "HTMLElement", "HTMLInputElement",
  "HTMLSelectElement", "HTMLTextAreaElement", "ResizeObserver", "URL", "URLSearchParams", "atob", "clearTimeout",
  "devicePixelRatio", "document", "history", "location", "matchMedia", "navigator",
  "performance", "requestAnimationFrame", "setTimeout", "window",
];
// What Python writes at the head of the script.
const WRITTEN = ["CLASS_COLORS"];
// Text of a page comes from people's data: it goes in through textContent, never as markup.
const MARKUP = ["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln"].map((property) => ({
  property, message: "Names and labels are text: use textContent or element().",
}));

export default [
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "consistent-return": "error",
      eqeqeq: "error",
      "no-constructor-return": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-loop-func": "error",
      "no-new-func": "error",
      "no-param-reassign": "error",
      "no-restricted-properties": ["error", ...MARKUP],
      "no-self-compare": "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-template-curly-in-string": "error",
      "no-throw-literal": "error",
      "no-unmodified-loop-condition": "error",
      "no-unused-expressions": "error",
      "no-use-before-define": ["error", { functions: false, classes: false }],
      "no-var": "error",
      "one-var": ["error", "never"],
      "object-shorthand": "error",
      "prefer-const": "error",
      radix: "error",
    },
  },
  {
    files: ["src/**/*.js"],
    languageOptions: { globals: Object.fromEntries([...BROWSER, ...WRITTEN].map((name) => [name, "readonly"])) },
  },
];
