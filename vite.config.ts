import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PluginItem } from "@babel/core";
import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import {
  build,
  defineConfig,
  type HtmlTagDescriptor,
  type IndexHtmlTransformContext,
  type Plugin,
} from "vite";
import { z } from "zod";
import { withFrenchSpaces } from "./src/web/french-spaces.ts";

/**
 * Rendered once or seldom, or within a card that is memoised as a whole: React Compiler's memoisation would add code
 * without a benefit.
 */
const SELDOM_DRAWN =
  /src\/web\/(features\/landing\/(?!preview\/)|app\/router|ui\/(block-seller|buying\/buy-button|loading|notice|page-header|photo|toasts)|features\/produits\/(empty-stream|late-alert-card|produit-card|usual-price)|layout\/(autobuy-stop|navigation|top-bar))/;

function webFile(path: string): string {
  return fileURLToPath(new URL(`src/web/${path}`, import.meta.url));
}

/** Parts of the component library that only dialogs need, and that load when the first one opens. */
const OF_WINDOWS =
  /node_modules\/(react-remove-scroll|react-style-singleton|use-sidecar|use-callback-ref)|@mantine\/core\/esm\/(components\/(Modal|ModalBase|ScrollArea|Overlay|Switch)|utils\/InlineInput)\//;

/** Shared by later screens; in the panel's files it would pull the whole catalogue into the first screen. */
const OF_LATER_SCREENS = /src\/web\/ui\/(pickers|charts)\//;

const COMMON_HEAD = "<!-- head.html -->";

/** Writes the tags that all documents share into their heads. */
const writeCommonHead: Plugin = {
  name: "write-common-head",
  transformIndexHtml: {
    order: "pre",
    async handler(html, { path }) {
      if (!html.includes(COMMON_HEAD)) throw new Error(`${path} has no place for head.html`);
      return html.replace(COMMON_HEAD, await readFile(webFile("head.html"), "utf8"));
    },
  },
};

/** A tag that runs one file of the build ahead of the document's entry, which imports it as well. */
function headScript(
  bundle: IndexHtmlTransformContext["bundle"],
  name: string,
  how: HtmlTagDescriptor["attrs"] = {},
): HtmlTagDescriptor {
  const file = Object.values(bundle ?? {}).find((one) => one.type === "chunk" && one.name === name);
  if (file === undefined) throw new Error(`the build has no file "${name}"`);
  // Async: it waits for no script before it.
  const attrs = { type: "module", async: true, crossorigin: true, src: `/${file.fileName}`, ...how };
  return { tag: "script", attrs, injectTo: "head" };
}

/**
 * Lets the panel's document send its first requests as soon as their script is there, before the rest of its
 * code. The panel imports the same file, so it runs once.
 */
const runReadsEarly: Plugin = {
  name: "run-reads-early",
  transformIndexHtml: {
    order: "post",
    handler(_html, { path, bundle }) {
      return path === "/panel.html" && bundle !== undefined ? [headScript(bundle, "reads")] : [];
    },
  },
};

const LANDING_WORLD = webFile("app/main-landing.tsx");
const LEGAL_WORLD = webFile("app/main-legal.tsx");
const PANEL_WORLD = webFile("app/main-panel.tsx");
const ALERT_WORLD = webFile("app/main-alerte.tsx");

/**
 * Rejects a build in which the pages of one world load the entry file of another, at once or later: both would render
 * into one document. This happens when both need a module that no group below puts into "base".
 */
const keepWorldsApart: Plugin = {
  name: "keep-worlds-apart",
  generateBundle(_options, bundle) {
    const filesFrom = (start: string, found = new Set<string>()): ReadonlySet<string> => {
      const file = bundle[start];
      if (file?.type !== "chunk" || found.has(start)) return found;
      found.add(start);
      for (const imported of [...file.imports, ...file.dynamicImports]) filesFrom(imported, found);
      return found;
    };
    const fileWith = (module: string): string => {
      const file = Object.values(bundle).find(
        (one) => one.type === "chunk" && one.moduleIds.includes(module),
      );
      if (file === undefined) throw new Error(`no file begins with ${module}`);
      return file.fileName;
    };
    const starts = [LANDING_WORLD, LEGAL_WORLD, PANEL_WORLD, ALERT_WORLD].map((world) => fileWith(world));
    for (const start of starts)
      for (const other of starts)
        if (other !== start && filesFrom(start).has(other))
          throw new Error(`what begins with ${start} loads ${other}, which begins another world`);
  },
};

/** Inserts French no-break spaces into the texts of the web. */
const setFrenchSpaces: PluginItem = ({ types }) => ({
  visitor: {
    // In a quoted JSX attribute the printed escape of a no-break space would be literal text.
    JSXAttribute: ({ node }) => {
      if (node.value?.type === "StringLiteral") node.value = types.jsxExpressionContainer(node.value);
    },
    StringLiteral: ({ node }) => {
      node.value = withFrenchSpaces(node.value);
    },
    JSXText: ({ node }) => {
      node.value = withFrenchSpaces(node.value);
    },
    TemplateElement: ({ node }) => {
      const text = withFrenchSpaces(node.value.raw);
      node.value = { raw: text, cooked: withFrenchSpaces(node.value.cooked ?? text) };
    },
  },
});

const root = fileURLToPath(new URL("src/web", import.meta.url));

const compilers = () => [
  react(),
  babel({
    presets: [reactCompilerPreset({ sources: (file) => !SELDOM_DRAWN.test(file) })],
    plugins: [setFrenchSpaces],
  }),
];

const EMPTY_ROOT = '<div id="root"></div>';
const PRELOADED_CODE = /<link rel="modulepreload" crossorigin href="([^"]+)"[^>]*>/g;

/**
 * Writes the landing page's markup into its document: it is shown, and can be read, before its code has loaded. Then the
 * styles and the font come first, and each file of code runs on its own: one long task for all would block the page.
 */
const prerenderLanding: Plugin = {
  name: "prerender-landing",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    async handler(html, { path, bundle }) {
      if (path !== "/index.html") return html;
      if (!html.includes(EMPTY_ROOT)) throw new Error("index.html has no empty #root");
      const markup = await landingMarkup();
      // The markup would flash in the system's colours before those that the person has chosen.
      const scheme = headScript(bundle, "scheme", { blocking: "render" });
      const laterScript = (_link: string, src: string): string =>
        src === scheme.attrs?.["src"] ? "" : `<script type="module" async crossorigin src="${src}"></script>`;
      return {
        html: html
          .replaceAll(PRELOADED_CODE, laterScript)
          .replaceAll("<script ", '<script fetchpriority="low" ')
          .replace(EMPTY_ROOT, () => `<div id="root" data-prerendered>${markup}</div>`),
        tags: [scheme],
      };
    },
  },
};

async function landingMarkup(): Promise<string> {
  // Inside the project, so that it finds React.
  const outDir = fileURLToPath(new URL(".cache/prerender", import.meta.url));
  await build({
    configFile: false,
    root,
    plugins: compilers(),
    logLevel: "warn",
    build: { ssr: webFile("app/landing-markup.tsx"), outDir, emptyOutDir: true },
  });
  // Under `npm run dev` each build has another module of this name.
  const built: unknown = await import(`${pathToFileURL(`${outDir}/landing-markup.js`).href}?${Date.now()}`);
  return z.object({ landingMarkup: z.string() }).parse(built).landingMarkup;
}

export default defineConfig({
  root,
  plugins: [...compilers(), writeCommonHead, runReadsEarly, keepWorldsApart, prerenderLanding],
  // The server replaces this word with a fresh nonce in every page.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    outDir: fileURLToPath(new URL("dist/web", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    modulePreload: { polyfill: false },
    // The content security policy allows data: URLs for images only.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Four worlds, each loaded alone: the landing page, the pages of its footer, the panel (router and component
      // library) and the page that an alert opens.
      input: ["index.html", "legal.html", "panel.html", "alerte.html"].map(webFile),
      output: {
        // Dozens of tiny files would cost a phone more in round trips than they save in bytes, so there is
        // one file for code shared by the worlds, one for the panel's start and one for its dialogs. The
        // panel's first requests are a file of their own that waits for none of these. `npm run interface`
        // measures the sizes. Only the panel uses mutation hooks, so they are in its file.
        codeSplitting: {
          groups: [
            { name: "scheme", priority: 5, test: /src\/web\/ui\/theme\/colour-scheme\.ts/ },
            {
              name: "reads",
              priority: 4,
              test: /rolldown\/runtime|node_modules\/zod\/|src\/(contract\/(envelope|produit|first-routes|utilisateur)|web\/(app\/early|api\/(answers|client|first-reads|log)))\.ts/,
            },
            {
              name: "base",
              priority: 3,
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(react-query|query-core)(?!\/build\/modern\/(useMutation|mutationObserver)))\/|vite\/preload-helper|src\/(catalogue\/plans)|src\/web\/(app\/start\.tsx|api\/(query-client|session|old-seller-list|alerts\/push-subscription)\.ts|ui\/(theme\/(tokens|base)|format|logo)\.)/,
            },
            { name: "panel", priority: 2, test: /src\/web\/app\/main-panel\.tsx/ },
            // The first screen's deferred parts with their dependencies: must not load modules of other screens, as a
            // newcomer's first steps and the explanation of an empty stream would by these two.
            {
              name: "alerts",
              priority: 1,
              test: /src\/web\/(features\/produits\/alert-card\.tsx|ui\/(alerts\/this-device\.tsx|windows\/use-single-mutation\.ts|seller-conditions\.ts))/,
            },
            {
              name: "screens",
              test: (id) =>
                /node_modules|src\/web\/(ui|layout|api)\//.test(id) &&
                !OF_WINDOWS.test(id) &&
                !OF_LATER_SCREENS.test(id),
              minShareCount: 2,
            },
            // After the panel, which takes the modules that both use.
            { name: "windows", test: OF_WINDOWS, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
