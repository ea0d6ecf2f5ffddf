import { fileURLToPath } from "node:url";
import type { PluginItem } from "@babel/core";
import babel from "@rolldown/plugin-babel";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { withFrenchSpaces } from "./src/web/french-spaces.ts";

/** Rendered once or seldom: React Compiler's memoisation would add code without a benefit. */
const SELDOM_DRAWN =
  /src\/web\/(features\/landing\/(?!preview\/)|app\/router|ui\/(notice|page-header|toasts|unread-part)|features\/produits\/(empty-stream|late-alert-card)|layout\/(autobuy-stop|navigation))/;

const serverUrl = process.env["SERVER_URL"] ?? "http://localhost:3000";
const serverPaths = [
  "/auth",
  "/filtres",
  "/vinted",
  "/purchase",
  "/articles",
  "/vendeurs",
  "/alertes",
  "/groupes",
  "/marche",
];

function webFile(path: string): string {
  return fileURLToPath(new URL(`src/web/${path}`, import.meta.url));
}

/** Parts of the component library that only dialogs need, and that load when the first one opens. */
const OF_WINDOWS =
  /node_modules\/(react-remove-scroll|react-style-singleton|use-sidecar|use-callback-ref)|@mantine\/core\/esm\/(components\/(Modal|ModalBase|ScrollArea|Overlay|Switch)|utils\/InlineInput)\//;

/** Shared by later screens; in the panel's files it would pull the whole catalogue into the first screen. */
const OF_LATER_SCREENS = /src\/web\/ui\/(pickers|charts)\//;

/**
 * Lets the panel's document send its first requests as soon as their script is there, before the rest of its
 * code. The panel imports the same file, so it runs once.
 */
const runReadsEarly: Plugin = {
  name: "run-reads-early",
  transformIndexHtml: {
    order: "post",
    handler(_html, { path, bundle }) {
      if (path !== "/panel.html" || bundle === undefined) return [];
      const reads = Object.values(bundle).find(({ type, name }) => type === "chunk" && name === "reads");
      if (reads === undefined) throw new Error("the panel's first reads are no file of their own");
      const attrs = { type: "module", async: true, crossorigin: true, src: `/${reads.fileName}` };
      return [{ tag: "script", attrs, injectTo: "head" }];
    },
  },
};

const PUBLIC_WORLD = webFile("app/main-public.tsx");
const PANEL_WORLD = webFile("app/main-panel.tsx");
const ALERT_WORLD = webFile("app/main-alerte.tsx");

/**
 * Rejects a build in which the pages of one world load the entry file of another: both would render into one
 * document. This happens when both need a module that no group below puts into "base".
 */
const keepWorldsApart: Plugin = {
  name: "keep-worlds-apart",
  generateBundle(_options, bundle) {
    const filesFrom = (start: string, found = new Set<string>()): ReadonlySet<string> => {
      const file = bundle[start];
      if (file?.type !== "chunk" || found.has(start)) return found;
      found.add(start);
      for (const imported of file.imports) filesFrom(imported, found);
      return found;
    };
    const fileWith = (module: string): string => {
      const file = Object.values(bundle).find(
        (one) => one.type === "chunk" && one.moduleIds.includes(module),
      );
      if (file === undefined) throw new Error(`no file begins with ${module}`);
      return file.fileName;
    };
    const starts = [PUBLIC_WORLD, PANEL_WORLD, ALERT_WORLD].map((world) => fileWith(world));
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

export default defineConfig({
  root: fileURLToPath(new URL("src/web", import.meta.url)),
  plugins: [
    react(),
    babel({
      presets: [reactCompilerPreset({ sources: (file) => !SELDOM_DRAWN.test(file) })],
      plugins: [setFrenchSpaces],
    }),
    runReadsEarly,
    keepWorldsApart,
  ],
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
      // Three worlds, each loaded alone: the public pages, the panel (router and component library) and the
      // page that an alert opens.
      input: [webFile("index.html"), webFile("panel.html"), webFile("alerte.html")],
      output: {
        // Dozens of tiny files would cost a phone more in round trips than they save in bytes, so there is
        // one file for code shared by the worlds, one for the panel's start and one for its dialogs. The
        // panel's first requests are a file of their own that waits for none of these. `npm run interface`
        // measures the sizes. Only the panel uses mutation hooks, so they are in its file.
        codeSplitting: {
          groups: [
            {
              name: "reads",
              priority: 4,
              test: /rolldown\/runtime|node_modules\/zod\/|src\/(contract\/(envelope|produit|first-routes|utilisateur)|web\/(app\/early|api\/(answers|client|first-reads|log)))\.ts/,
            },
            {
              name: "base",
              priority: 3,
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(react-query|query-core)(?!\/build\/modern\/(useMutation|mutationObserver)))\/|vite\/preload-helper|src\/(catalogue\/plans)|src\/web\/(app\/start\.tsx|api\/(query-client|session|old-seller-list)\.ts|ui\/(theme\/(colour-scheme|tokens|base)|format|logo)\.)/,
            },
            { name: "panel", priority: 2, test: /src\/web\/app\/main-panel\.tsx/ },
            // The first screen's deferred part with its dependencies: must not load modules of other screens.
            {
              name: "alerts",
              priority: 1,
              test: /src\/web\/(features\/produits\/alert-card|ui\/alerts\/this-device)\.tsx/,
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
  server: {
    proxy: {
      ...Object.fromEntries(serverPaths.map((path) => [path, { target: serverUrl }])),
      "/socket.io": { target: serverUrl, ws: true },
    },
  },
});
